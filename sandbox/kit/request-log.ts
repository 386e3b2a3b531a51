import type { MiddlewareHandler } from "hono";
import type { StandInEnv } from "./serve.ts";

/** One answered (or cut) request. Bodies are never kept. */
export interface LoggedRequest {
  /** ISO 8601, when the request arrived. */
  at: string;
  method: string;
  path: string;
  /** 0 when the connection was cut without an answer. */
  status: number;
  note: string;
}

/** The last requests of a stand-in, for assertions. */
export interface RequestLog {
  record(request: LoggedRequest): void;
  list(): LoggedRequest[];
  clear(): void;
}

const KEPT_REQUESTS = 5_000;

/** A ring that keeps the last `capacity` requests. */
export function createRequestLog(capacity: number = KEPT_REQUESTS): RequestLog {
  let requests: LoggedRequest[] = [];
  return {
    record(request) {
      requests.push(request);
      if (requests.length >= capacity * 2) requests = requests.slice(-capacity);
    },
    list: () => requests.slice(-capacity),
    clear() {
      requests = [];
    },
  };
}

/** Records every request except those to `/__control`; a handler adds words with `c.set("note", …)`. */
export function logRequests(log: RequestLog): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const at = new Date().toISOString();
    await next();
    if (c.req.path.startsWith("/__control")) return;
    const isCut = c.env.outgoing.destroyed;
    log.record({
      at,
      method: c.req.method,
      path: c.req.path,
      status: isCut ? 0 : c.res.status,
      note: c.get("note") ?? "",
    });
  };
}
