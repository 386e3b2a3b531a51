import { readReport } from "#lib/features/analytics/report.ts";
import { reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Metrics of published pins by their attributes. */
  GET: route({ auth: "user", input: reportInput, run: (ctx, input) => readReport(ctx, input), present: toReportWire }),
});
