import { noInput } from "#lib/features/identity/schema.ts";
import { logOut } from "#lib/features/identity/sessions.ts";
import { sessionCookie } from "#lib/server/auth.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Ends the current login, if any, and removes its cookie. */
  POST: route({
    auth: "none",
    input: noInput,
    run: logOut,
    respond: () => new Response(null, { status: 204, headers: { "set-cookie": sessionCookie(null) } }),
  }),
});
