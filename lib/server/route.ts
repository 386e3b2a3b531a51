import "server-only";
import type { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError, type ErrorCode, toAppError } from "#lib/core/errors.ts";
import { callerOf, identify, visitorOf } from "./actor.ts";
import { openRequestEvent, type Passage, type PathParams, pass, patternOf, type RequestEvent } from "./pipeline.ts";

const MAX_BODY_BYTES = 1_000_000;

/**
 * How errors are said (DESIGN §7). `fields`: field errors are exactly `{field: [text]}` (register, login). `contact`:
 * every error is exactly `{success, message, errors}`, with one text for each field.
 */
type Dialect = "standard" | "fields" | "contact";

/** A body that is received in another way than as JSON, and what is left of it to tidy up. */
export interface Received {
  input: Record<string, unknown>;
  discard(): Promise<void>;
}

interface RouteOptions<S extends z.ZodType, O> extends Passage<S, O> {
  dialect?: Dialect;
  /** The most bytes of a JSON body, where a megabyte is too few. */
  bodyBytesMax?: number;
  /** Receives the body instead of reading it as JSON; what it leaves is discarded when the call is answered. */
  receive?: (request: Request, ctx: FullCtx) => Promise<Received>;
  status?: number;
  /** Body of a success; undefined answers 204. */
  present?: (output: O, ctx: FullCtx) => unknown;
  headers?: (output: O, request: Request) => Record<string, string>;
  /** A whole response instead of `present`, for cookies and redirects. */
  respond?: (output: O, ctx: FullCtx, request: Request) => Response | Promise<Response>;
}

type RouteParams = { params: Promise<PathParams> };
export type RouteHandler = (request: Request, context: RouteParams) => Promise<Response>;

/** The body of a request. @throws AppError `too_large` beyond so many bytes, without reading on. */
export const readBytes = async (request: Request, bytesMax = MAX_BODY_BYTES): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax) throw new AppError("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const readBody = async (request: Request, bytesMax?: number): Promise<unknown> => {
  const bytes = await readBytes(request, bytesMax);
  if (bytes.byteLength === 0) return {};
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new AppError("invalid", { text: "The body is not valid JSON.", cause: error });
  }
};

/** Path params over body (or query, for GET, HEAD and DELETE): an id in the path cannot be overruled by the body. */
const readInput = async (
  request: Request,
  { searchParams }: URL,
  params: PathParams,
  bytesMax?: number,
): Promise<unknown> => {
  if (["GET", "HEAD", "DELETE"].includes(request.method)) return { ...Object.fromEntries(searchParams), ...params };
  const body = await readBody(request, bytesMax);
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("invalid", { text: "The body must be a JSON object." });
  }
  return { ...body, ...params };
};

const toErrorBody = (error: AppError, requestId: string, dialect: Dialect): object => {
  const { message, code, fields, more } = error;
  if (dialect === "fields" && fields) return fields;
  if (dialect === "contact") {
    const errors = Object.fromEntries(Object.entries(fields ?? {}).map(([field, texts]) => [field, texts.join(" ")]));
    return { success: false, message, errors };
  }
  return { error: message, message, code, request_id: requestId, ...(fields && { fields }), ...more };
};

/** The HTTP renderer of the error catalogue (DESIGN §7). */
export const toErrorResponse = (error: AppError, requestId: string, dialect: Dialect): Response => {
  const body = toErrorBody(error, requestId, dialect);
  const headers = error.retryAfterSeconds ? { "retry-after": String(error.retryAfterSeconds) } : undefined;
  return Response.json(body, { status: error.status, ...(headers && { headers }) });
};

/** The last thing done with every answer: its id, no caching unless said otherwise, and the event. */
export const finishResponse = (response: Response, event: RequestEvent, error: AppError | undefined): Response => {
  response.headers.set("x-request-id", event.requestId);
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  event.finish({ status: response.status, error });
  return response;
};

/** A path for the log: without ids, and without the keys of pictures (decision 0004). */
export const loggedPath = (path: string): string =>
  path
    .replace(/^((?:\/api\/users)?\/unsubscribe\/).+/, "$1:token")
    .replace(/\/[a-z]{3}_[0-9a-z]{26}/g, "/:id")
    .replace(/^(\/api\/images\/).+/, "$1:key")
    .replace(/^(\/(?:verify-email|reset-password|change-email)\/).+/, "$1:token");

const toResponse = async <S extends z.ZodType, O>(
  options: RouteOptions<S, O>,
  passed: { ctx: FullCtx; output: O },
  request: Request,
): Promise<Response> => {
  const { ctx, output } = passed;
  if (options.respond) return options.respond(output, ctx, request);
  const headers = options.headers?.(output, request) ?? {};
  const body = options.present?.(output, ctx);
  if (body === undefined) return new Response(null, { status: 204, headers });
  return Response.json(body, { status: options.status ?? 200, headers });
};

/** A documented HTTP call as data: who may call, what it takes, which verb runs, how the answer looks. */
export const route =
  <S extends z.ZodType, O>(options: RouteOptions<S, O>): RouteHandler =>
  async (request, context) => {
    const url = new URL(request.url);
    const event = openRequestEvent({ method: request.method, path: loggedPath(url.pathname) });
    let error: AppError | undefined;
    let response: Response;
    let received: Received | undefined;
    try {
      const params = await context.params;
      event.set({ route: patternOf(url.pathname, params) });
      const caller = callerOf(request);
      const actor = options.auth === "visitor" ? visitorOf(caller) : await identify(caller);
      const raw = async (ctx: FullCtx) => {
        received = await options.receive?.(request, ctx);
        return received ? { ...received.input, ...params } : readInput(request, url, params, options.bodyBytesMax);
      };
      const passed = await pass(options, { actor, log: event, raw });
      response = await toResponse(options, passed, request);
    } catch (thrown) {
      error = toAppError(thrown);
      response = toErrorResponse(error, event.requestId, options.dialect ?? "standard");
    } finally {
      await received?.discard();
    }
    return finishResponse(response, event, error);
  };

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

/** Every method that an address may have; HEAD and OPTIONS are answered without its handlers. */
const METHODS = ["DELETE", "GET", "PATCH", "POST", "PUT"] as const;

type Handlers = Record<(typeof METHODS)[number], RouteHandler>;

/**
 * The handlers of an address: those given, and for every other method a 405 in the documented shape that names them.
 * @param wrap what is done around each of them
 */
export const routes = (
  given: Partial<Handlers>,
  wrap: (handler: RouteHandler) => RouteHandler = (handler) => handler,
): Handlers => {
  const allow = METHODS.filter((method) => given[method]).join(", ");
  const other = refusal("method_not_allowed", { allow });
  const handlerOf = (method: keyof Handlers) => wrap(given[method] ?? other);
  const [DELETE, GET, PATCH] = [handlerOf("DELETE"), handlerOf("GET"), handlerOf("PATCH")];
  return { DELETE, GET, PATCH, POST: handlerOf("POST"), PUT: handlerOf("PUT") };
};
