import { registerUser } from "#lib/features/identity/registration.ts";
import { registerInput } from "#lib/features/identity/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({
    auth: "visitor",
    ownClientsOnly: true,
    limit: "register",
    errorFormat: "fields",
    input: registerInput,
    run: registerUser,
    status: 201,
    present: ({ message }) => ({ message }),
  }),
});
