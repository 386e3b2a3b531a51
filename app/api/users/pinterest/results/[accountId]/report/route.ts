import { readReport } from "#lib/features/analytics/report.ts";
import { reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** what published pins did, by what they were made of. */
export const GET = route({ auth: "user", input: reportInput, run: readReport, present: toReportWire });

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
