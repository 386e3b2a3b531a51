import { startConnection } from "#lib/features/accounts/oauth-connection.ts";
import { startConnectionInput } from "#lib/features/accounts/schema.ts";
import { toConnectionCookie } from "#lib/features/accounts/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The consent URL, and a cookie that binds the consent to the browser. */
  GET: route({
    auth: "user",
    limit: "connect",
    input: startConnectionInput,
    run: startConnection,
    respond: (started, ctx) =>
      Response.json(
        { auth_url: started.authUrl },
        { headers: { "set-cookie": toConnectionCookie(started, ctx.settings.appUrl) } },
      ),
  }),
});
