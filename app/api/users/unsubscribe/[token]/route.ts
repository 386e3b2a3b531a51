import { switchOffered } from "#lib/features/notifications/preferences.ts";
import { unsubscribeInput } from "#lib/features/notifications/schema.ts";
import { readBytes, route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** One press in the reader's mail program (RFC 8058): the form it sends says nothing that the address does not. */
  POST: route({
    auth: "visitor",
    receive: async (request) => {
      await readBytes(request);
      return { input: {}, discard: async () => {} };
    },
    input: unsubscribeInput,
    run: switchOffered,
    present: ({ kinds }) => ({ switched_off: kinds }),
  }),
  /** Mail programs that know no single press open the address: they come to the page that asks. */
  GET: route({
    auth: "visitor",
    input: unsubscribeInput,
    run: async (_, { token }) => token,
    respond: (token) =>
      new Response(null, { status: 303, headers: { location: `/unsubscribe/${encodeURIComponent(token)}` } }),
  }),
});
