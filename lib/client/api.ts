import { CSRF_COOKIE, CSRF_HEADER, REMEMBERED_PATH_KEY, TOKEN_STORAGE_KEY } from "#lib/features/identity/constants.ts";
import { safePath } from "../core/paths.ts";
import { readStored, writeStored } from "./browser-storage.ts";

/** A call that the server refused, or that never reached it (status 0). `body` is what the server said. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfterSeconds: number | undefined;

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

/** The server's own text of a failed call, else the fallback. */
export const describeFailure = (error: unknown, fallback: string): string =>
  (error instanceof ApiError ? textOf(error.body) : undefined) ?? fallback;

/** R-REG-16, R-LOGIN-06: field errors as 'field: first message' joined by commas; else the message; else the fallback. */
export const describeAuthFailure = (error: unknown, fallback: string): string => {
  const body = error instanceof ApiError ? error.body : undefined;
  if (!isRecord(body)) return fallback;
  const fields = Object.entries(body).flatMap(([field, messages]) => {
    const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
    return typeof first === "string" ? [`${field}: ${first}`] : [];
  });
  return fields.length > 0 ? fields.join(", ") : (textOf(body) ?? fallback);
};

// The browser tells other tabs of a change, not the one that made it.
const TOKEN_CHANGED = "token-changed";

/** The stored access token (R-CONST-18), or null. */
export const getToken = (): string | null => readStored(TOKEN_STORAGE_KEY);
export const setToken = (token: string): void => {
  writeStored(TOKEN_STORAGE_KEY, token);
  window.dispatchEvent(new Event(TOKEN_CHANGED));
};
export const clearToken = (): void => {
  writeStored(TOKEN_STORAGE_KEY, null);
  window.dispatchEvent(new Event(TOKEN_CHANGED));
};

/** Calls back when the stored token comes or goes, in this tab or another; returns how to stop. */
export const onTokenChange = (listener: () => void): (() => void) => {
  const names = ["storage", TOKEN_CHANGED];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
};

/** R-AUTH-01: keeps the path that was asked for until after login. */
export const rememberPath = (path: string): void => writeStored(REMEMBERED_PATH_KEY, safePath(path), "session");

/** The remembered path, once; the address's `next` wins; default `/app` (R-LOGIN-07). */
export const takeRememberedPath = (): string => {
  const next = new URLSearchParams(location.search).get("next");
  const kept = readStored(REMEMBERED_PATH_KEY, "session");
  writeStored(REMEMBERED_PATH_KEY, null, "session");
  return safePath(next ?? kept);
};

const cookieOf = (name: string): string | undefined =>
  document.cookie
    .split("; ")
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const headersFor = (body: unknown): Headers => {
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
    // Cut midway, or not our server's: a failure without words of its own.
    throw new ApiError(response.ok ? 0 : response.status, { cause: error });
  }
};

const call = async <T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> => {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "include",
      headers: headersFor(body),
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, { cause: error });
  }
  const answer = await parse(response);
  if (!response.ok)
    throw new ApiError(response.status, answer, Number(response.headers.get("retry-after")) || undefined);
  // The shapes are our own server's, held by the contract tests.
  return answer as T;
};

/** The documented calls from the browser: bearer, CSRF header and credentials as demanded (R-AUTH-06..08). */
export const api = {
  get: <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("GET", path, undefined, signal),
  post: <T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> => call<T>("POST", path, body, signal),
  put: <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> => call<T>("PUT", path, body, signal),
  delete: <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("DELETE", path, undefined, signal),
};
