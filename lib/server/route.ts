import "server-only";
import type { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { RENEW_TOKEN_HEADER } from "#lib/core/browser-keys.ts";
import { AppError, type ErrorCode, toAppError } from "#lib/core/errors.ts";
import { IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY, TEXTS } from "#lib/features/pins/constants.ts";
import { callerOf, identify, requireOneUser, tokenStateOf, visitorOf } from "./actor.ts";
import { parseJson, readBytes } from "./body.ts";
import { type ErrorFormat, finishResponse, loggedPath, toErrorResponse } from "./error-response.ts";
import { requireOwnClient } from "./origins.ts";
import { openRequestEvent, type PathParams, type PipelineOptions, patternOf, runPipeline } from "./pipeline.ts";

export interface Received {
  input: Record<string, unknown>;
  discard(): Promise<void>;
}

interface RouteOptions<S extends z.ZodType, O> extends PipelineOptions<S, O> {
  errorFormat?: ErrorFormat;
  /** Only JSON, from our own pages or from clients that are not browsers. */
  ownClientsOnly?: boolean;
  /** Passes the Idempotency-Key on to `run`. */
  takesWriteKey?: boolean;
  /** Refuses access tokens, so that only the browser that has the cookie gets an answer. */
  cookieOnly?: boolean;
  /** 1 MB by default. */
  bodyBytesMax?: number;
  /** Instead of JSON parsing; its files are discarded after the call. */
  receive?: (request: Request, ctx: FullCtx) => Promise<Received>;
  status?: number;
  /** Undefined responds with 204. */
  present?: (output: O, ctx: FullCtx) => unknown;
  headers?: (output: O, request: Request) => Record<string, string>;
  errorHeaders?: (error: AppError) => Record<string, string>;
  /** Instead of `present`, for cookies and redirects. */
  respond?: (output: O, ctx: FullCtx, request: Request) => Response | Promise<Response>;
}

type RouteParams = { params: Promise<PathParams> };
export type RouteHandler = (request: Request, context: RouteParams) => Promise<Response>;

const readBody = async (request: Request, bytesMax?: number): Promise<unknown> => {
  const bytes = await readBytes(request, bytesMax);
  return bytes.byteLength === 0 ? {} : parseJson(bytes);
};

/** Path params win, so the body cannot override an id in the path. */
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

/** @throws AppError `invalid` for a key that isn't 1 to 100 visible characters */
const writeKeyOf = (request: Request): string | null => {
  const key = request.headers.get(IDEMPOTENCY_HEADER);
  if (key === null || IDEMPOTENCY_KEY.test(key)) return key;
  throw new AppError("invalid", { text: TEXTS.keyInvalid, fields: { [IDEMPOTENCY_HEADER]: [TEXTS.keyInvalid] } });
};

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
      if (options.ownClientsOnly) requireOwnClient(request);
      const caller = callerOf(request);
      const actor = options.auth === "visitor" ? visitorOf(caller) : await identify(caller);
      if (options.auth === "user") await requireOneUser(actor, caller);
      if (options.auth === "user" && tokenStateOf(actor) === "outdated") throw new AppError("token_outdated");
      if (options.cookieOnly && caller.header("authorization") !== null) throw new AppError("unauthenticated");
      const raw = async (ctx: FullCtx) => {
        received = await options.receive?.(request, ctx);
        return received ? { ...received.input, ...params } : readInput(request, url, params, options.bodyBytesMax);
      };
      const writeKey = options.takesWriteKey ? writeKeyOf(request) : null;
      const passed = await runPipeline(options, { actor, log: event, raw, writeKey });
      response = await toResponse(options, passed, request);
      if (tokenStateOf(actor) === "renewable") response.headers.set(RENEW_TOKEN_HEADER, "1");
    } catch (thrown) {
      error = toAppError(thrown);
      response = toErrorResponse(error, event.requestId, options.errorFormat ?? "standard");
      for (const [name, value] of Object.entries(options.errorHeaders?.(error) ?? {}))
        response.headers.set(name, value);
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

export const notFoundHandler = refusal("not_found");

/** Next handles HEAD and OPTIONS itself. */
const METHODS = ["DELETE", "GET", "PATCH", "POST", "PUT"] as const;

type Handlers = Record<(typeof METHODS)[number], RouteHandler>;

/** All other methods respond with a documented 405. */
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
