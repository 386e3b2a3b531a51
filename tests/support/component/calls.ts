import { afterEach, expect, vi } from "vitest";
import { cleanup } from "vitest-browser-react";
import { ACTION_PATH } from "./send-action.ts";

/** A request made by a component. The `body` of an action is the array of its arguments. */
export interface RecordedCall {
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
  signal: AbortSignal | null;
}

/** A plain value is returned as JSON with status 200; a function may inspect the request, wait, fail or return a Response. */
type Answer = object | null | ((call: RecordedCall) => unknown);

/** Answers by `METHOD /path/` (`*` matches one path segment) or `ACTION nameOfTheAction`. */
export type Answers = Record<string, Answer>;

const realFetch = globalThis.fetch;
let unanswered: string[] = [];

afterEach(async () => {
  // Unmount first, so that requests made during unmount are answered.
  await cleanup();
  globalThis.fetch = realFetch;
  const missing = unanswered;
  unanswered = [];
  expect(missing, "requests without an answer: name them in answerCalls()").toEqual([]);
});

/** Returns an answer with another status. */
export const failWith =
  (status: number, body: unknown = null, headers: Record<string, string> = {}) =>
  (): Response =>
    body === null ? new Response(null, { status, headers }) : Response.json(body, { status, headers });

/** Fails as `fetch` does when the server cannot be reached. */
export const unreachable = (): never => {
  throw new TypeError("Failed to fetch");
};

/** Holds requests until the test answers them in order; `answer` waits for the next request. */
export const pendingResponse = () => {
  const waiting: ((value: unknown) => void)[] = [];
  const hold = (call: RecordedCall): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.push(resolve);
      call.signal?.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")));
    });
  const answer = async (value: unknown): Promise<void> => {
    await vi.waitUntil(() => waiting.length > 0, { timeout: 5_000 });
    waiting.shift()?.(value);
  };
  return { hold, answer, count: () => waiting.length };
};

const toPattern = (key: string): RegExp => {
  const [method = "", path = ""] = key.split(" ");
  const parts = path.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${method} ${parts.join("[^/]+")}$`);
};

const nameOf = (method: string, path: string): string =>
  path.startsWith(ACTION_PATH) ? `ACTION ${path.slice(ACTION_PATH.length)}` : `${method} ${path}`;

const parseBody = (body: unknown): unknown => {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};

const toResponse = (value: unknown): Response => {
  if (value instanceof Response) return value;
  return value === undefined ? new Response(null, { status: 200 }) : Response.json(value);
};

/** The call that lists the sections of a board. Boards have none unless a test says so. */
export const SECTIONS = "GET /api/users/pinterest/boards/*/*/sections/";

/** What a pin was written from: nothing, unless a test says so. */
export const PIN_PAGE = "ACTION readPinPageAction";

/**
 * Answers the requests of components by replacing `fetch` until the test ends. A request without an answer fails the
 * test. Returns the recorded requests, and a way to change answers.
 */
export const answerCalls = (first: Answers) => {
  const answers = new Map<string, { pattern: RegExp; answer: Answer }>();
  const recorded = new Map<string, RecordedCall[]>();
  const set = (more: Answers): void => {
    for (const [key, answer] of Object.entries(more)) answers.set(key, { pattern: toPattern(key), answer });
  };
  set({ [SECTIONS]: { items: [] }, [PIN_PAGE]: { ok: true, value: null }, ...first });
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : null;
    const url = new URL(request?.url ?? String(input), location.origin);
    // Vite loads lazy modules without fetch, so every request here is the app's.
    const name = nameOf((init?.method ?? request?.method ?? "GET").toUpperCase(), url.pathname);
    const found = [...answers].findLast(([, { pattern }]) => pattern.test(name));
    if (!found) {
      unanswered.push(name);
      return Response.json({ error: `No answer for ${name}` }, { status: 501 });
    }
    const [key, { answer }] = found;
    const call: RecordedCall = {
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(init?.headers ?? request?.headers),
      body: parseBody(init?.body ?? (request && (await request.text()))),
      signal: init?.signal ?? request?.signal ?? null,
    };
    recorded.set(key, [...(recorded.get(key) ?? []), call]);
    if (call.signal?.aborted) throw new DOMException("Aborted", "AbortError");
    return toResponse(typeof answer === "function" ? await answer(call) : answer);
  };
  return {
    /** Changes or adds answers. */
    set,
    /** The requests that received this answer, in order. */
    to: (key: string): readonly RecordedCall[] => recorded.get(key) ?? [],
  };
};
