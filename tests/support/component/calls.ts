import { afterEach, expect, vi } from "vitest";
import { cleanup } from "vitest-browser-react";
import { ACTION_PATH } from "./send-action.ts";

/** One request that a component made. An action's arguments stand in `body` as an array. */
export interface RecordedCall {
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: unknown;
  signal: AbortSignal | null;
}

/** A plain value is answered as JSON with status 200; a function may look at the request, wait, fail or make a Response. */
type Answer = object | null | ((call: RecordedCall) => unknown);

/** Answers by `METHOD /path/` (`*` stands for one part of a path) or by `ACTION nameOfTheAction`. */
export type Answers = Record<string, Answer>;

const realFetch = globalThis.fetch;
let unanswered: string[] = [];

afterEach(async () => {
  // Components first: what they still ask for while they go is answered.
  await cleanup();
  globalThis.fetch = realFetch;
  const missing = unanswered;
  unanswered = [];
  expect(missing, "requests without an answer: name them in answerCalls()").toEqual([]);
});

/** An answer with another status than 200. */
export const failWith =
  (status: number, body: unknown = null, headers: Record<string, string> = {}) =>
  (): Response =>
    body === null ? new Response(null, { status, headers }) : Response.json(body, { status, headers });

/** What `fetch` does when the server cannot be reached. */
export const unreachable = (): never => {
  throw new TypeError("Failed to fetch");
};

/** Requests that wait until the test answers them, in the order they came; `answer` waits for the next one to come. */
export const heldAnswer = () => {
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

/**
 * Answers the requests of components at the level of `fetch` until the test ends; a request without an answer fails
 * the test. Returns what was asked, and a way to change an answer.
 */
export const answerCalls = (first: Answers) => {
  const answers = new Map<string, { pattern: RegExp; answer: Answer }>();
  const recorded = new Map<string, RecordedCall[]>();
  const set = (more: Answers): void => {
    for (const [key, answer] of Object.entries(more)) answers.set(key, { pattern: toPattern(key), answer });
  };
  set(first);
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : null;
    const url = new URL(request?.url ?? String(input), location.origin);
    // Vite loads lazy modules itself; everything else on this origin is the product's.
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
    /** The requests that this answer was given to, the first one first. */
    to: (key: string): readonly RecordedCall[] => recorded.get(key) ?? [],
  };
};
