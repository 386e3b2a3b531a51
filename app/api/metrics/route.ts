import { answerMetrics } from "#lib/server/answer-metrics.ts";
import { routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Figures for Prometheus, behind METRICS_TOKEN (docs/guides/operations.md). */
  GET: answerMetrics,
});
