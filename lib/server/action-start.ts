import "server-only";
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";

interface Progress {
  hasStarted: boolean;
}

// Next bundles modules once per layer; a global makes them share one storage.
const GLOBAL_KEY = Symbol.for("app.action-start");
const globalStore = globalThis as { [GLOBAL_KEY]?: AsyncLocalStorage<Progress> };
globalStore[GLOBAL_KEY] ??= new AsyncLocalStorage();
const progressOf = globalStore[GLOBAL_KEY];

/** Called first by every server action: from here on, a failure is ours. */
export const noteActionStart = (): void => {
  const progress = progressOf.getStore();
  if (progress) progress.hasStarted = true;
};

const callsAction = ({ method, headers }: IncomingMessage): boolean =>
  method === "POST" && headers["next-action"] !== undefined;

const mayCallAction = (request: IncomingMessage): boolean =>
  !request.url?.startsWith("/api/") &&
  (callsAction(request) ||
    (request.method === "POST" && /^multipart\/form-data\b/i.test(request.headers["content-type"] ?? "")));

/**
 * Next responds with 500, or 200 on a static page, when it cannot decode the arguments of a server action, and with 500
 * when they come from another origin or are too large. As long as the action has not started, that is the caller's
 * fault: 400.
 */
export const respondToAction = <T>(request: IncomingMessage, response: ServerResponse, respond: () => T): T => {
  if (!mayCallAction(request)) return respond();
  const progress: Progress = { hasStarted: false };
  const refused = callsAction(request) ? [200, 500] : [500];
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) =>
    writeHead(refused.includes(status) && !progress.hasStarted ? 400 : status, ...rest);
  return progressOf.run(progress, respond);
};
