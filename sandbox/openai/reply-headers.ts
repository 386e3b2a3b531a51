import { randomUUID } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";

/** Adds the headers that every reply of the service carries: request id, duration, and a generous rate limit
 * where none was set. */
export function addReplyHeaders(): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    await next();
    if (c.env.outgoing.headersSent || c.env.outgoing.destroyed) return;
    const { headers } = c.res;
    headers.set("x-request-id", `req_${randomUUID().replaceAll("-", "")}`);
    headers.set("openai-processing-ms", String(Math.round(performance.now() - startedAt)));
    if (headers.has("x-ratelimit-limit-requests")) return;
    headers.set("x-ratelimit-limit-requests", "10000");
    headers.set("x-ratelimit-remaining-requests", "9999");
    headers.set("x-ratelimit-reset-requests", "6ms");
  };
}
