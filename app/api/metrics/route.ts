import { answerMetrics } from "#lib/server/answer-metrics.ts";
import { answersOnly } from "#lib/server/route.ts";

/** Figures for Prometheus, behind METRICS_TOKEN (docs/guides/operations.md). */
export const GET = answerMetrics;

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
