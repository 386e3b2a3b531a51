import { noInput } from "#lib/features/identity/schema.ts";
import { requestPasskeySignIn } from "#lib/features/sign-in/passkeys.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "visitor",
    ownClientsOnly: true,
    limit: "passkey",
    input: noInput,
    run: requestPasskeySignIn,
    present: (request) => request,
  }),
});
