import { resetPassword } from "#lib/features/identity/password-reset.ts";
import { resetPasswordInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-21 */
export const POST = route({
  auth: "visitor",
  limit: "resetConfirm",
  input: resetPasswordInput,
  run: resetPassword,
  present: (answer) => answer,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
