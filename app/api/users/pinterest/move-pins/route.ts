import { movePins } from "#lib/features/calendar/moves.ts";
import { movePinsInput } from "#lib/features/calendar/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: route({ auth: "user", limit: "movePins", input: movePinsInput, run: movePins, present: (moved) => moved }),
});
