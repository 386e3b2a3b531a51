import { eventsInput } from "#lib/features/realtime/schema.ts";
import { openEventStream } from "#lib/server/event-response.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** The user's live events as server-sent events (decision 0009). */
  GET: route({ auth: "user", input: eventsInput, run: async (_, input) => input, respond: openEventStream }),
});
