import { requestReset } from "#lib/features/identity/password-reset.ts";
import { requestResetInput } from "#lib/features/identity/schema.ts";
import { loginSubject } from "#lib/server/auth.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-20 */
export const POST = route({
  auth: "visitor",
  limit: "reset",
  limitInput: {
    name: "resetAccount",
    subject: (input, actor) => loginSubject(input.email, "address" in actor ? actor.address : ""),
  },
  input: requestResetInput,
  run: requestReset,
  present: (answer) => answer,
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
