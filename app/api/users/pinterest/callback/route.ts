import { cookies } from "next/headers";
import { finishConnection } from "#lib/features/accounts/oauth-connection.ts";
import { connectionCookieName, connectionRedirect } from "#lib/features/accounts/policy.ts";
import { callbackInput } from "#lib/features/accounts/schema.ts";
import { toSpentConnectionCookie } from "#lib/features/accounts/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Pinterest sends the browser back here; it goes on to `/app/?success=1` or `/app/?error=…`. */
  GET: route({
    auth: "none",
    input: callbackInput,
    run: async (ctx, input) => {
      const name = connectionCookieName(input.state ?? "");
      const browserSecret = (await cookies()).get(name)?.value;
      return finishConnection(ctx, { ...input, browserSecret });
    },
    respond: (outcome, ctx, request) => {
      const state = new URL(request.url).searchParams.get("state") ?? "";
      return new Response(null, {
        status: 302,
        headers: {
          location: connectionRedirect(outcome),
          "set-cookie": toSpentConnectionCookie(state, ctx.settings.appUrl),
        },
      });
    },
  }),
});
