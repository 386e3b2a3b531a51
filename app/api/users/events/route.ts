import { eventsInput } from "#lib/features/realtime/schema.ts";
import { answerLive } from "#lib/server/event-response.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** What changes for the user, as it happens: server-sent events (decision 0009). */
export const GET = route({ auth: "user", input: eventsInput, run: async (_, input) => input, respond: answerLive });

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
