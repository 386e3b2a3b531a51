import { readAccountAnalytics } from "#lib/features/analytics/pin-metrics.ts";
import { accountAnalyticsInput } from "#lib/features/analytics/schema.ts";
import { toAccountAnalyticsWire } from "#lib/features/analytics/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Daily metrics of an account, compared with the previous period. */
  GET: route({
    auth: "user",
    input: accountAnalyticsInput,
    run: readAccountAnalytics,
    present: toAccountAnalyticsWire,
  }),
});
