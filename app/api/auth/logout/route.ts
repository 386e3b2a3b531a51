import { noInput } from "#lib/features/identity/schema.ts";
import { logOut } from "#lib/features/identity/sessions.ts";
import { sessionCookie } from "#lib/server/auth.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** Ends this login and removes its cookie (R-NAV-08, D7). Without a login it only removes the cookie. */
export const POST = route({
  auth: "none",
  input: noInput,
  run: logOut,
  respond: () => new Response(null, { status: 204, headers: { "set-cookie": sessionCookie(null) } }),
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
