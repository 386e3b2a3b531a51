import { answerMetrics } from "#lib/server/metrics-handler.ts";
import { routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** Prometheus metrics, protected by METRICS_TOKEN (docs/guides/operations.md). */
  GET: answerMetrics,
});
