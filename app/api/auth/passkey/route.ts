import { signInWithPasskey } from "#lib/features/sign-in/passkeys.ts";
import { passkeyAnswerInput } from "#lib/features/sign-in/schema.ts";
import { loginResponse } from "#lib/server/login-response.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** A login with a passkey, for the sign-in pages. */
  POST: route({
    auth: "visitor",
    ownClientsOnly: true,
    limit: "login",
    input: passkeyAnswerInput,
    run: signInWithPasskey,
    respond: (login, _ctx, request) => loginResponse(login, request),
  }),
});
