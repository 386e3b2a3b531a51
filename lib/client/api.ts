import { CSRF_COOKIE, CSRF_HEADER, RENEW_TOKEN_HEADER } from "#lib/core/browser-keys.ts";
import type { ErrorCode, RowFault } from "../core/errors.ts";
import { clearToken, getToken, setToken } from "./browser-storage.ts";
import { isUnknownAction, reloadForUpdate } from "./site-update.ts";

/** An API call that failed. Status 0 means the server was not reached; `body` is the parsed response. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds: number | undefined;
  /** Another login replaced the stored token while the call was running. */
  isOutdated = false;

  constructor(status: number, body: unknown, retryAfterSeconds?: number) {
    super(textOf(body) ?? `Status ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const textOf = (body: unknown): string | undefined => {
  if (!isRecord(body)) return undefined;
  const text = body.error ?? body.message;
  return typeof text === "string" && text ? text : undefined;
};

export const describeFailure = (error: unknown, fallback: string): string =>
  (error instanceof ApiError ? textOf(error.body) : undefined) ?? fallback;

export const rowFaultOf = ({ body }: ApiError): RowFault | undefined => {
  const row = isRecord(body) ? body.row : undefined;
  if (!isRecord(row) || typeof row.number !== "number" || typeof row.text !== "string") return undefined;
  return { number: row.number, field: String(row.field), text: row.text };
};

/** The error's code, such as `plan_limit`; undefined without a response of our server. */
export const codeOf = ({ body }: ApiError): string | undefined =>
  isRecord(body) && typeof body.code === "string" ? body.code : undefined;

/** Removes the token that a 401 rejected, but not one that another tab stored since. */
export const dropRejectedToken = ({ isOutdated }: ApiError): void => {
  if (!isOutdated) clearToken();
};

/** Field errors as 'field: first message' joined by commas (R-REG-16), else the message, else the fallback. */
export const describeAuthFailure = (error: unknown, fallback: string): string => {
  const body = error instanceof ApiError ? error.body : undefined;
  if (!isRecord(body)) return fallback;
  const fields = Object.entries(body).flatMap(([field, messages]) => {
    const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
    return typeof first === "string" ? [`${field}: ${first}`] : [];
  });
  return fields.length > 0 ? fields.join(", ") : (textOf(body) ?? fallback);
};

/** Whether a retry may help: no response, a rate limit, or a server error. */
export const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

export const cookieOf = (name: string): string | undefined =>
  document.cookie
    .split("; ")
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

export const headersFor = (body: unknown): Headers => {
  const headers = new Headers({ accept: "application/json" });
  const token = getToken();
  const csrf = cookieOf(CSRF_COOKIE);
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (csrf) headers.set(CSRF_HEADER, csrf);
  if (body !== undefined) headers.set("content-type", "application/json");
  return headers;
};

const parse = async (response: Response): Promise<unknown> => {
  try {
    const text = await response.text();
    return text ? JSON.parse(text) : undefined;
  } catch (error) {
    // The response was cut off or isn't JSON, so there is no error text to show.
    throw new ApiError(response.ok ? 0 : response.status, { cause: error });
  }
};

interface Page<T> {
  body: T;
  next: string | null;
}

const nextOf = (response: Response): string | null => {
  const [, path = null] = /^<(\/[^>]*)>; rel="next"$/.exec(response.headers.get("link") ?? "") ?? [];
  return path;
};

/** Long enough for the answer of the tab that changed the password, which brings the new cookie and token. */
const OUTDATED_RETRY_MS = 1_000;
let isRenewing = false;

/** Exchanges the session cookie for a new access token. After a failure the next response asks for it again. */
const renewToken = async (): Promise<void> => {
  if (isRenewing) return;
  isRenewing = true;
  const before = getToken();
  const headers = headersFor({});
  headers.delete("authorization");
  try {
    const response = await fetch("/api/auth/exchange/", { method: "PUT", credentials: "include", headers, body: "{}" });
    const body: unknown = response.ok ? await response.json() : null;
    // Another tab may have signed in or out meanwhile.
    if (isRecord(body) && typeof body.accessToken === "string" && getToken() === before) setToken(body.accessToken);
  } catch (error) {
    console.warn("The access token could not be renewed", error);
  } finally {
    isRenewing = false;
  }
};

interface CallOptions {
  signal?: AbortSignal | undefined;
  /** A request that is repeated with the same key is done once. */
  writeKey?: string | undefined;
}

const send = async (
  method: string,
  path: string,
  body?: unknown,
  { signal, writeKey }: CallOptions = {},
  isRetry = false,
): Promise<Response> => {
  const sent = getToken();
  const headers = headersFor(body);
  if (writeKey) headers.set("idempotency-key", writeKey);
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "include",
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, { cause: error });
  }
  if (response.headers.has(RENEW_TOKEN_HEADER)) void renewToken();
  if (response.ok) return response;
  const parsed = await parse(response);
  const failure = new ApiError(response.status, parsed, Number(response.headers.get("retry-after")) || undefined);
  if (codeOf(failure) === "token_outdated" && !isRetry) {
    await new Promise((resolve) => setTimeout(resolve, OUTDATED_RETRY_MS));
    return send(method, path, body, { signal, writeKey }, true);
  }
  failure.isOutdated = ![null, sent].includes(getToken());
  throw failure;
};

const fetchPage = async <T>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Page<T>> => {
  const response = await send(method, path, body, options);
  // Contract tests verify the shapes that our server sends.
  return { body: (await parse(response)) as T, next: nextOf(response) };
};

const call = async <T>(method: string, path: string, body?: unknown, options?: CallOptions): Promise<T> =>
  (await fetchPage<T>(method, path, body, options)).body;

const fetchFile = async (path: string): Promise<{ blob: Blob; name: string }> => {
  const response = await send("GET", path);
  const [, name = "download"] = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  try {
    return { blob: await response.blob(), name };
  } catch (error) {
    throw new ApiError(0, { cause: error });
  }
};

/** Calls the documented API from the browser. @throws ApiError */
export const api = {
  get: <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("GET", path, undefined, { signal }),
  getFile: fetchFile,
  getPage: <T>(path: string, signal?: AbortSignal): Promise<Page<T>> =>
    fetchPage<T>("GET", path, undefined, { signal }),
  post: <T>(path: string, body: unknown = {}, options?: CallOptions): Promise<T> =>
    call<T>("POST", path, body, options),
  put: <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> => call<T>("PUT", path, body, { signal }),
  delete: <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("DELETE", path, undefined, { signal }),
};

export type ActionResult<T> =
  | { ok: true; value: T }
  | { ok: false; code: ErrorCode; text: string; fields?: Record<string, string[]> };

const failed = (text: string): ActionResult<never> => ({ ok: false, code: "provider_unavailable", text });

const UNREACHABLE = "We couldn't reach the server. Please try again.";
const OUTDATED = "We're updating the site. Please try again in a minute.";
/** The page is normally gone by then, unless the user chose to stay. */
const RELOAD_MS = 5_000;

const answerOutdated = async (): Promise<ActionResult<never>> => {
  if (reloadForUpdate()) await new Promise((resolve) => setTimeout(resolve, RELOAD_MS));
  return failed(OUTDATED);
};

/** Returns the value of a server action. @throws Error with the text to show when it failed */
export const actionValue = async <T>(call: Promise<ActionResult<T>>): Promise<T> => {
  const answer = await callAction(call);
  if (!answer.ok) throw new Error(answer.text);
  return answer.value;
};

/** A lost connection becomes a failed result, and an action that the server no longer knows reloads the page. */
export const callAction = async <T>(
  call: Promise<ActionResult<T>>,
  unreachable = UNREACHABLE,
): Promise<ActionResult<T>> => {
  try {
    return await call;
  } catch (error) {
    if (isUnknownAction(error)) return answerOutdated();
    console.warn("A server action got no response", error);
    return failed(unreachable);
  }
};
