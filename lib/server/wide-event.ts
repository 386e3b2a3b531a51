import "server-only";
import { type AppError, framesOf, messageOf } from "#lib/core/errors.ts";
import { createId } from "#lib/core/ids.ts";
import { createWideEvent, type WideEvent, type WideFields, writeEvent } from "#lib/core/log.ts";

/** The event of one request, with its id and start. */
export interface RequestEvent extends WideEvent {
  requestId: string;
  /** Writes the event; once, at the end. */
  finish(outcome: { status: number; error?: AppError | undefined }): void;
}

const causeOf = (error: AppError): WideFields =>
  error.code === "internal" && error.cause !== undefined
    ? { problem: messageOf(error.cause), stack: error.cause instanceof Error ? framesOf(error.cause) : "" }
    : {};

/** Opens the wide event of a request. `path` is the address without ids. */
export const openRequestEvent = (where: { method: string; path: string; route?: string }): RequestEvent => {
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
