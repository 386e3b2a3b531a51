import { registerUser } from "#lib/features/identity/register-user.ts";
import { registerInput } from "#lib/features/identity/schema.ts";
import { route } from "#lib/server/route.ts";

/** R-API-01 */
export const POST = route({
  auth: "none",
  limit: "register",
  dialect: "fields",
  input: registerInput,
  run: registerUser,
  status: 201,
  present: ({ message }) => ({ message }),
});
