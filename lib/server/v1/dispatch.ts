import "server-only";
import { hash } from "node:crypto";
import { composeContext } from "#lib/composition.ts";
import type { Actor, FullCtx } from "#lib/context.ts";
import { AppError, toAppError } from "#lib/core/errors.ts";
import { nextLink } from "#lib/core/paging.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { claimWrite, keepAnswer, releaseWrite, type WriteAnswer } from "#lib/features/api-keys/idempotency.ts";
import { networkOf } from "#lib/features/identity/device.ts";
import { AUDIENCE_PATHS } from "#lib/features/oauth/constants.ts";
import { callerOf, visitorOf } from "../actor.ts";
import { parseJson, readBytes } from "../body.ts";
import { finishResponse, loggedPath } from "../error-response.ts";
import { openRequestEvent, parse, type RequestEvent, runUseCase } from "../pipeline.ts";
import { limitCall, type Quota, rateLimitFactor, spentQuota } from "../rate-limit.ts";
import type { RouteHandler } from "../route.ts";
import { authenticateKey, type CallingKey, requireActive, requireScope } from "./authenticate.ts";
import { noteUse } from "./key-uses.ts";
import { type Input, type Operation, takesWriteKey } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { toProblemResponse } from "./problem.ts";

const API_PATH = AUDIENCE_PATHS.api;

type Params = Record<string, string>;

interface Match {
  operation: Operation;
  params: Params;
}

const PATTERNS = OPERATIONS.map((operation) => ({ operation, parts: operation.path.split("/").slice(1) }));

const paramsOf = (parts: readonly string[], path: readonly string[]): Params | null => {
  if (parts.length !== path.length) return null;
  const params: Params = {};
  for (const [at, part] of parts.entries()) {
    const value = path[at] ?? "";
    if (part.startsWith("{")) params[part.slice(1, -1)] = value;
    else if (part !== value) return null;
  }
  return params;
};

/** Otherwise the error: `not_found`, or `method_not_allowed` with the methods of this path. */
const match = (method: string, path: readonly string[]): Match | AppError => {
  const found = PATTERNS.flatMap(({ operation, parts }) => {
    const params = paramsOf(parts, path);
    return params ? [{ operation, params }] : [];
  });
  const own = found.find((one) => one.operation.method === method);
  if (own) return own;
  if (found.length === 0) return new AppError("not_found", { text: "This endpoint doesn't exist. See /developers." });
  return new AppError("method_not_allowed", {
    more: { allow: found.map(({ operation }) => operation.method).join(", ") },
  });
};

const readQuery = ({ searchParams }: URL): Record<string, string> => {
  const names = [...searchParams.keys()];
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) {
    const text = `The parameter ${twice} is given more than once.`;
    throw new AppError("invalid", { text, fields: { [twice]: [text] } });
  }
  return Object.fromEntries(searchParams);
};

interface Call extends Match {
  request: Request;
  url: URL;
  ctx: FullCtx;
}

interface ReadInput {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
  /** Of the whole request, for repeated writes. */
  digest: string;
  discard(): Promise<void>;
}

const isJson = (request: Request): boolean => /^application\/json\b/i.test(request.headers.get("content-type") ?? "");

const readBody = async ({ request, operation, ctx }: Call): Promise<Pick<ReadInput, "body" | "digest" | "discard">> => {
  const none = { body: undefined, digest: "", discard: async () => undefined };
  if (operation.receive && operation.body) {
    const { input, discard } = await operation.receive(request, ctx);
    try {
      return { ...none, body: parse(operation.body, input), discard };
    } catch (error) {
      await discard();
      throw error;
    }
  }
  const bytes = operation.method === "GET" ? new Uint8Array() : await readBytes(request, operation.bodyBytesMax);
  if (bytes.byteLength > 0 && !operation.body)
    throw new AppError("invalid", { text: "This call doesn't accept a request body." });
  if (!operation.body) return none;
  if (bytes.byteLength > 0 && !isJson(request)) {
    throw new AppError("invalid", { text: "Send JSON with the header Content-Type: application/json." });
  }
  const body = parse(operation.body, bytes.byteLength === 0 ? {} : parseJson(bytes));
  return { ...none, body, digest: hash("sha256", bytes) };
};

const readInput = async (call: Call): Promise<ReadInput> => {
  const { operation, url } = call;
  const query = readQuery(url);
  const unknown = operation.query ? undefined : Object.keys(query)[0];
  if (unknown !== undefined) {
    const text = `This call has no parameter ${unknown}.`;
    throw new AppError("invalid", { text, fields: { [unknown]: [text] } });
  }
  return {
    params: operation.params ? parse(operation.params, call.params) : {},
    query: operation.query ? parse(operation.query, query) : {},
    ...(await readBody(call)),
  };
};

const WRITE_KEY = /^[!-~]{1,100}$/;

const writeKeyOf = ({ request, operation }: Call): string | null => {
  const key = request.headers.get("idempotency-key");
  if (key === null || !takesWriteKey(operation)) return null;
  if (WRITE_KEY.test(key)) return key;
  const text = "An Idempotency-Key has 1 to 100 visible characters.";
  throw new AppError("invalid", { text, fields: { "Idempotency-Key": [text] } });
};

interface Answer extends WriteAnswer {
  isRepeat: boolean;
  nextCursor: unknown;
}

type Run = Pick<Input<undefined, undefined, undefined>, "writeKey" | "isAgain">;

const answerOf = async ({ operation, ctx }: Call, input: ReadInput, run: Run): Promise<Answer> => {
  const { params, query, body } = input;
  const output = await runUseCase(() => operation.run(ctx, { params, query, body, ...run }));
  const status = operation.status ?? 200;
  const nextCursor: unknown = Object(output).next_cursor;
  return { status, body: status === 204 ? "" : JSON.stringify(output), isRepeat: false, nextCursor };
};

/** Runs a write once per key. Errors that may pass are not kept, so that the client can repeat it. */
const runOnce = async (call: Call, input: ReadInput, key: string): Promise<Answer> => {
  const { ctx, request, url } = call;
  const digest = hash("sha256", `${request.method} ${url.pathname} ${input.digest}`);
  const claim = await claimWrite(ctx, { key, digest });
  if (claim.kind === "repeat") return { ...claim.answer, isRepeat: true, nextCursor: null };
  const { lease, writeKey, isFirst } = claim;
  const release = async (error: unknown): Promise<never> => {
    await releaseWrite(ctx, { key, lease, mayBeDone: !isFirst || toAppError(error).status >= 500 });
    throw error;
  };
  const answer = await answerOf(call, input, { writeKey, isAgain: !isFirst }).catch(release);
  await keepAnswer(ctx, { key, lease, answer });
  return answer;
};

const etagOf = (body: string): string => `"${hash("sha256", body, "base64url").slice(0, 27)}"`;

const matches = (header: string | null, etag: string): boolean =>
  (header ?? "").split(",").some((one) => [etag, "*"].includes(one.trim().replace(/^W\//, "")));

const JSON_TYPE = "application/json; charset=utf-8";

const toResponse = ({ request, operation }: Call, { status, body, isRepeat, nextCursor }: Answer): Response => {
  const repeated: Record<string, string> = isRepeat ? { "idempotency-replayed": "true" } : {};
  if (status === 204) return new Response(null, { status, headers: repeated });
  if (operation.method !== "GET") {
    return new Response(body, { status, headers: { "content-type": JSON_TYPE, ...repeated } });
  }
  const etag = etagOf(body);
  const link = nextLink(typeof nextCursor === "string" ? nextCursor : null, request);
  const headers = { etag, "cache-control": "private, no-cache", ...link };
  if (matches(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { status, headers: { "content-type": JSON_TYPE, ...headers } });
};

const respond = async (call: Call): Promise<Response> => {
  const input = await readInput(call);
  try {
    const key = writeKeyOf(call);
    const answer =
      key === null ? await answerOf(call, input, { writeKey: null, isAgain: false }) : await runOnce(call, input, key);
    return toResponse(call, answer);
  } finally {
    await input.discard();
  }
};

const setQuota = (response: Response, { limit, remaining, endsInMs }: Quota): void => {
  response.headers.set("ratelimit-limit", String(limit));
  response.headers.set("ratelimit-remaining", String(remaining));
  response.headers.set("ratelimit-reset", String(Math.max(1, Math.ceil(endsInMs / SECOND_MS))));
};

/** What is known of a call when it fails. */
interface Progress {
  readonly url: URL;
  readonly visitor: Extract<Actor, { kind: "visitor" }>;
  key: CallingKey | null;
  quota: Quota | null;
  pattern: string;
}

/** Allowed calls count against the user's limit; others count against the key's, so that they can't use the user's up. */
const limit = async (ctx: FullCtx, key: CallingKey, operation: Operation | null, progress: Progress): Promise<void> => {
  const isAllowed = operation !== null && key.state === "active" && key.scopes.includes(operation.scope);
  const name = isAllowed ? (operation.limit ?? "default") : "default";
  try {
    progress.quota = await limitCall(ctx, name, isAllowed ? key.userId : key.id, rateLimitFactor());
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "too_many") progress.quota = spentQuota(name, rateLimitFactor(), error);
    throw error;
  }
};

const start = async (request: Request, path: readonly string[], event: RequestEvent, progress: Progress) => {
  const { url, visitor } = progress;
  const key = await authenticateKey(request, "api", visitor);
  progress.key = key;
  event.set({ actor: "key", user_id: key.userId, key_id: key.id });
  const found = match(request.method === "HEAD" ? "GET" : request.method, path);
  const operation = found instanceof AppError ? null : found.operation;
  if (operation) progress.pattern = `${API_PATH}${operation.path}`;
  event.set({ route: progress.pattern });
  const ctx = composeContext({ kind: "key", userId: key.userId, keyId: key.id, address: visitor.address }, event);
  await limit(ctx, key, operation, progress);
  requireActive(key);
  if (found instanceof AppError) throw found;
  requireScope(key, found.operation.scope);
  return respond({ ...found, request, url, ctx });
};

const OTHER = `${API_PATH}/other`;

/** Answers the public API: one catalog of operations, in `operations.ts`. Only API keys; cookies are ignored. */
export const answerApi: RouteHandler = async (request, context) => {
  const { path = [] } = await context.params;
  const url = new URL(request.url);
  const event = openRequestEvent({ method: request.method, path: loggedPath(url.pathname) });
  event.set({ route: OTHER });
  const visitor = visitorOf(callerOf(request));
  const progress: Progress = { url, visitor, key: null, quota: null, pattern: OTHER };
  let error: AppError | undefined;
  let response: Response;
  try {
    response = await start(request, [path].flat(), event, progress);
  } catch (thrown) {
    error = toAppError(thrown);
    response = toProblemResponse(error, event.requestId, "api");
    if (typeof error.more?.allow === "string") response.headers.set("allow", error.more.allow);
  }
  if (progress.quota) setQuota(response, progress.quota);
  if (progress.key) {
    const call = `${request.method} ${progress.pattern}`;
    const network = networkOf(visitor.address);
    const use = { keyId: progress.key.id, call, status: response.status, network, at: new Date() };
    // Refusals of a limit come in floods.
    await noteUse(use, response.status !== 429 && (request.method !== "GET" || response.status >= 400));
  }
  return finishResponse(response, event, error);
};
