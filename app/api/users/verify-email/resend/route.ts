import { resendVerification } from "#lib/features/identity/registration.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Resends the verification email. */
  POST: route({
    auth: "user",
    limit: "resend",
    input: noInput,
    run: resendVerification,
    present: (answer) => answer,
  }),
});
