import { readAccountResults } from "#lib/features/analytics/pin-results.ts";
import { accountResultsInput } from "#lib/features/analytics/schema.ts";
import { toAccountResultsWire } from "#lib/features/analytics/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** what an account did, day by day and beside the days before. */
export const GET = route({
  auth: "user",
  input: accountResultsInput,
  run: readAccountResults,
  present: toAccountResultsWire,
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
