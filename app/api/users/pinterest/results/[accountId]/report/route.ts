import { readReport } from "#lib/features/analytics/report.ts";
import { reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** what published pins did, by what they were made of. */
  GET: route({ auth: "user", input: reportInput, run: readReport, present: toReportWire }),
});
