import { readAccountResults } from "#lib/features/analytics/pin-results.ts";
import { accountResultsInput } from "#lib/features/analytics/schema.ts";
import { toAccountResultsWire } from "#lib/features/analytics/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** what an account did, day by day and beside the days before. */
  GET: route({
    auth: "user",
    input: accountResultsInput,
    run: readAccountResults,
    present: toAccountResultsWire,
  }),
});
