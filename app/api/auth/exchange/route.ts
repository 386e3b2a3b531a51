import { noInput } from "#lib/features/identity/schema.ts";
import { readSessionUser } from "#lib/features/identity/sessions.ts";
import { loginCookies } from "#lib/server/actor.ts";
import { encodeLogin } from "#lib/server/auth.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Exchanges an access token for the session cookie of the same login. */
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
  /** Exchanges a session cookie for an access token, after a login by a form without JavaScript. */
  PUT: route({
    auth: "user",
    input: noInput,
    run: readSessionUser,
    respond: async (user) =>
      Response.json({ accessToken: await encodeLogin({ userId: user.id, loginId: user.loginId }, "access") }),
  }),
});
