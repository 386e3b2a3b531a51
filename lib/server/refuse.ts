import "server-only";
import { AppError, type ErrorCode } from "#lib/core/errors.ts";
import { type RouteHandler, toErrorResponse } from "./route.ts";
import { openRequestEvent } from "./wide-event.ts";

type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT";

const refusal =
  (code: ErrorCode, headers: Record<string, string> = {}): RouteHandler =>
  async (request) => {
    const event = openRequestEvent({ method: request.method, path: new URL(request.url).pathname });
    const error = new AppError(code);
    const response = toErrorResponse(error, event.requestId, "standard");
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    event.finish({ status: error.status, error });
    return response;
  };

/** Answers 404 in the documented shape to whatever is sent, without reading it. */
export const answersNothing = refusal("not_found");

/** Answers 405 in the documented shape, and which methods the address has. */
export const answersOnly = (...methods: Method[]): RouteHandler =>
  refusal("method_not_allowed", { allow: methods.join(", ") });
