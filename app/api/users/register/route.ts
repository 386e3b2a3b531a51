import { registerUser } from "#lib/features/identity/registration.ts";
import { registerInput } from "#lib/features/identity/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-01 */
export const POST = route({
  auth: "visitor",
  limit: "register",
  dialect: "fields",
  input: registerInput,
  run: registerUser,
  status: 201,
  present: ({ message }) => ({ message }),
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
