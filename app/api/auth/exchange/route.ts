import { noInput } from "#lib/features/identity/schema.ts";
import { readKeptLogin, renewAccess } from "#lib/features/identity/sessions.ts";
import { loginCookies } from "#lib/server/actor.ts";
import { encodeLogin } from "#lib/server/auth.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Exchanges an access token for the session cookie of the same login. */
  POST: route({
    auth: "user",
    input: noInput,
    run: readKeptLogin,
    respond: async (login, _ctx, request) =>
      new Response(null, { status: 204, headers: await loginCookies(login, request) }),
  }),
  /** Exchanges a session cookie for an access token: after a login by a form without JavaScript, and once a day. */
  PUT: route({
    auth: "user",
    cookieOnly: true,
    input: noInput,
    run: renewAccess,
    respond: async (login) => Response.json({ accessToken: await encodeLogin(login, "access") }),
  }),
});
