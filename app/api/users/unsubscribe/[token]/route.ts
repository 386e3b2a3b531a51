import { switchEmailsByLink } from "#lib/features/notifications/preferences.ts";
import { unsubscribeInput } from "#lib/features/notifications/schema.ts";
import { readBytes } from "#lib/server/body.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** One-click unsubscribe from an email client (RFC 8058); the posted form adds nothing to the URL. */
  POST: route({
    auth: "visitor",
    receive: async (request) => {
      await readBytes(request);
      return { input: {}, discard: async () => {} };
    },
    input: unsubscribeInput,
    run: switchEmailsByLink,
    present: ({ kinds }) => ({ switched_off: kinds }),
  }),
  /** Email clients without one-click support open the URL and are redirected to the confirmation page. */
  GET: route({
    auth: "visitor",
    input: unsubscribeInput,
    run: async (_, { token }) => token,
    respond: (token) =>
      new Response(null, { status: 303, headers: { location: `/unsubscribe/${encodeURIComponent(token)}` } }),
  }),
});
