import "server-only";
import { type AppError, messageOf } from "#lib/core/errors.ts";
import { createId } from "#lib/core/ids.ts";
import { createWideEvent, type WideEvent, writeEvent } from "#lib/core/log.ts";

/** The event of one request, with its id and start. */
export interface RequestEvent extends WideEvent {
  requestId: string;
  /** Writes the event; once, at the end. */
  finish(outcome: { status: number; error?: AppError | undefined }): void;
}

/** A failed query as Drizzle throws it: its message lists the parameters, mail addresses and hashes among them. */
const isFailedQuery = (error: Error): error is Error & { query: string } =>
  "query" in error && "params" in error && typeof error.query === "string";

/** What went wrong; of a failed query without its parameters. */
const problemOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error && isFailedQuery(thrown))) return messageOf(thrown);
  return `${thrown.cause === undefined ? "Failed query" : problemOf(thrown.cause)} (${thrown.query})`;
};

/** Where it was thrown, without the message that a stack begins with. */
const framesOf = (error: Error): string =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");

const causeOf = (error: AppError): Record<string, string> =>
  error.code === "internal" && error.cause !== undefined
    ? { problem: problemOf(error.cause), stack: error.cause instanceof Error ? framesOf(error.cause) : "" }
    : {};

/** Opens the wide event of a request. `where` is the route's path without ids. */
export const openRequestEvent = (where: { method: string; path: string }): RequestEvent => {
  const startedAt = performance.now();
  const requestId = createId("request", new Date());
  const event = createWideEvent({ at: new Date().toISOString(), request_id: requestId, ...where });
  return {
    ...event,
    requestId,
    finish: ({ status, error }) => {
      event.set({ status, outcome: error?.code ?? "ok", ms: Math.round(performance.now() - startedAt) });
      if (error) event.set(causeOf(error));
      writeEvent(event);
    },
  };
};
