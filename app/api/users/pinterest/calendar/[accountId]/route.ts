import { readCalendar } from "#lib/features/calendar/calendar.ts";
import { readCalendarInput } from "#lib/features/calendar/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  GET: route({ auth: "user", input: readCalendarInput, run: readCalendar, present: (calendar) => calendar }),
});
