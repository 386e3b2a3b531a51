import "server-only";
import type { AppError } from "#lib/core/errors.ts";
import type { RequestEvent } from "./pipeline.ts";

/** `fields`: `{field: [text]}` (register, login). `contact`: `{success, message, errors}`, one text per field. */
export type ErrorFormat = "standard" | "fields" | "contact";

export const toErrorBody = (error: AppError, requestId: string, errorFormat: ErrorFormat): object => {
  const { message, code, fields, more } = error;
  if (errorFormat === "fields" && fields) return fields;
  if (errorFormat === "contact") {
    const errors = Object.fromEntries(Object.entries(fields ?? {}).map(([field, texts]) => [field, texts.join(" ")]));
    return { success: false, message, errors };
  }
  return { error: message, message, code, request_id: requestId, ...(fields && { fields }), ...more };
};

export const toErrorResponse = (error: AppError, requestId: string, errorFormat: ErrorFormat): Response => {
  const body = toErrorBody(error, requestId, errorFormat);
  const headers = error.retryAfterSeconds ? { "retry-after": String(error.retryAfterSeconds) } : undefined;
  return Response.json(body, { status: error.status, ...(headers && { headers }) });
};

export const finishResponse = (response: Response, event: RequestEvent, error: AppError | undefined): Response => {
  response.headers.set("x-request-id", event.requestId);
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  event.finish({ status: response.status, error });
  return response;
};

/** Without ids, tokens and image keys (decision 0037). */
export const loggedPath = (path: string): string =>
  path
    .replace(/^((?:\/api\/users)?\/unsubscribe\/).+/, "$1:token")
    .replace(/\/[a-z]{3}_[0-9a-z]{26}/g, "/:id")
    .replace(/^(\/api\/images\/).+/, "$1:key")
    .replace(/^(\/(?:verify-email|reset-password|change-email)\/).+/, "$1:token");
