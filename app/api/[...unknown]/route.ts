import { AppError } from "#lib/core/errors.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { route } from "#lib/server/route.ts";

const answer = route({
  auth: "none",
  input: noInput,
  run: async () => {
    throw new AppError("not_found");
  },
});

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT };
