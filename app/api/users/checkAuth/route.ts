import { toUserWire } from "#lib/features/identity/queries.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { readSessionUser } from "#lib/features/identity/sessions.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({
    auth: "user",
    input: noInput,
    run: readSessionUser,
    present: (user) => ({ authenticated: true, user: toUserWire(user) }),
  }),
});
