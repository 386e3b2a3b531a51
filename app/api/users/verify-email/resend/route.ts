import { resendVerification } from "#lib/features/identity/registration.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** Sends the verification mail again. */
export const POST = route({
  auth: "user",
  limit: "resend",
  input: noInput,
  run: resendVerification,
  present: (answer) => answer,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
