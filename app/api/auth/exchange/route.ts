import { noInput } from "#lib/features/identity/schema.ts";
import { readSessionUser } from "#lib/features/identity/sessions.ts";
import { loginCookies } from "#lib/server/actor.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** A stored access token for the cookie of the same login (DESIGN §7, the gate). */
export const POST = route({
  auth: "user",
  input: noInput,
  run: readSessionUser,
  respond: async (user, _ctx, request) =>
    new Response(null, {
      status: 204,
      headers: await loginCookies({ userId: user.id, loginId: user.loginId }, request),
    }),
});

const other = answersOnly("POST");

export { other as DELETE, other as GET, other as PATCH, other as PUT };
