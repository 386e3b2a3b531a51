import "server-only";
import { AppError, type ErrorCode } from "#lib/core/errors.ts";
import { finishResponse, loggedPath, type RouteHandler, toErrorResponse } from "./route.ts";
import { patternOf } from "./route-pattern.ts";
import { openRequestEvent } from "./wide-event.ts";

type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT";

const refusal =
  (code: ErrorCode, headers: Record<string, string> = {}): RouteHandler =>
  async (request, context) => {
    const { pathname } = new URL(request.url);
    const event = openRequestEvent({ method: request.method, path: loggedPath(pathname) });
    event.set({ route: patternOf(pathname, await context.params) });
    const error = new AppError(code);
    const response = toErrorResponse(error, event.requestId, "standard");
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return finishResponse(response, event, error);
  };

/** Answers 404 in the documented shape to whatever is sent, without reading it. */
export const answersNothing = refusal("not_found");

/** Answers 405 in the documented shape, and which methods the address has. */
export const answersOnly = (...methods: Method[]): RouteHandler =>
  refusal("method_not_allowed", { allow: methods.join(", ") });
