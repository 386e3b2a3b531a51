import { trendsInput } from "#lib/features/keywords/schema.ts";
import { toTrendsWire } from "#lib/features/keywords/serializers.ts";
import { readTrends } from "#lib/features/keywords/trends.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Pinterest's search trends, with the account's own pins. */
  GET: route({ auth: "user", input: trendsInput, run: readTrends, present: toTrendsWire }),
});
