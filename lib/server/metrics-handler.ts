import "server-only";
import { equalInConstantTime } from "#lib/core/crypto.ts";
import { AppError, toAppError } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";
import { callerOf, visitorOf } from "./actor.ts";
import { finishResponse, loggedPath, toErrorResponse } from "./error-response.ts";
import { metrics } from "./metrics.ts";
import { openRequestEvent } from "./pipeline.ts";
import { countCall } from "./rate-limit.ts";
import type { RouteHandler } from "./route.ts";

/** @throws AppError `not_found` without METRICS_TOKEN, `unauthenticated` for a wrong token, `too_many` */
const requireMetricsToken = (request: Request): void => {
  const { METRICS_TOKEN, RATE_LIMIT_FACTOR } = env();
  if (METRICS_TOKEN === undefined) throw new AppError("not_found");
  countCall("default", visitorOf(callerOf(request)).address, RATE_LIMIT_FACTOR, new Date());
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
  if (!equalInConstantTime(token, METRICS_TOKEN)) throw new AppError("unauthenticated");
};

/** Decision 0010. */
export const answerMetrics: RouteHandler = async (request) => {
  const event = openRequestEvent({
    method: request.method,
    path: loggedPath(new URL(request.url).pathname),
    route: "/api/metrics",
  });
  let error: AppError | undefined;
  let response: Response;
  try {
    requireMetricsToken(request);
    const { text, contentType } = metrics();
    response = new Response(await text(), { headers: { "content-type": contentType } });
  } catch (thrown) {
    error = toAppError(thrown);
    response = toErrorResponse(error, event.requestId, "standard");
  }
  return finishResponse(response, event, error);
};
