import { noInput } from "#lib/features/identity/schema.ts";
import { readSessionUser } from "#lib/features/identity/sessions.ts";
import { loginCookies } from "#lib/server/actor.ts";
import { encodeLogin } from "#lib/server/auth.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** A stored access token for the cookie of the same login (DESIGN §7, the gate). */
  POST: route({
    auth: "user",
    input: noInput,
    run: readSessionUser,
    respond: async (user, _ctx, request) =>
      new Response(null, {
        status: 204,
        headers: await loginCookies({ userId: user.id, loginId: user.loginId }, request),
      }),
  }),
  /** An access token for the session cookie of a login that a form without a script opened. */
  PUT: route({
    auth: "user",
    input: noInput,
    run: readSessionUser,
    respond: async (user) =>
      Response.json({ accessToken: await encodeLogin({ userId: user.id, loginId: user.loginId }, "access") }),
  }),
});
