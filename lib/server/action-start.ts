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

const mayCallAction = ({ method, url = "", headers }: IncomingMessage): boolean =>
  method === "POST" &&
  !url.startsWith("/api/") &&
  (headers["next-action"] !== undefined || /^multipart\/form-data\b/i.test(headers["content-type"] ?? ""));

/**
 * Next responds with 500 when it cannot decode the arguments of a server action, or when they come from another origin
 * or are too large. As long as the action has not started, that is the caller's fault: 400.
 */
export const respondToAction = <T>(request: IncomingMessage, response: ServerResponse, respond: () => T): T => {
  if (!mayCallAction(request)) return respond();
  const progress: Progress = { hasStarted: false };
  const writeHead = response.writeHead.bind(response) as (status: number, ...rest: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) =>
    writeHead(status === 500 && !progress.hasStarted ? 400 : status, ...rest);
  return progressOf.run(progress, respond);
};
