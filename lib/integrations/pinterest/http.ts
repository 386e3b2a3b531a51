import { z } from "zod";
import type { PinterestAnswer, PinterestProblem } from "./port.ts";
import { decideProblem, type Refusal, silenceProblem, unreadableProblem } from "./problems.ts";

const MAX_WAIT_SECONDS = 86_400;
/** A larger number in a reset header is a moment in unix seconds, not a span. */
const UNIX_SECONDS_FROM = 1_000_000_000;

const bounded = (seconds: number): number => Math.min(MAX_WAIT_SECONDS, Math.max(0, Math.ceil(seconds)));

const leadingInteger = (text: string | null): number | undefined => {
  const digits = /^\s*(\d{1,15})/.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
};

const readRetryAfter = (text: string | null, now: Date): number | undefined => {
  const seconds = leadingInteger(text);
  if (seconds !== undefined) return seconds;
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? undefined : (at - now.getTime()) / 1_000;
};

const readReset = (text: string | null, now: Date): number | undefined => {
  const value = leadingInteger(text);
  return value === undefined || value < UNIX_SECONDS_FROM ? value : value - now.getTime() / 1_000;
};

/**
 * How long Pinterest asks to wait, in seconds up to a day: Retry-After (seconds or a date), else the reset header.
 * Both may be structured (`60, 100;w=1;name="…"`): the leading integer counts. Undefined when nothing is told.
 */
export const readWaitSeconds = (headers: Headers, now: Date): number | undefined => {
  const wait = readRetryAfter(headers.get("retry-after"), now) ?? readReset(headers.get("x-ratelimit-reset"), now);
  return wait === undefined ? undefined : bounded(wait);
};

/** How many calls the headers say are left, and for how many seconds; null unless they tell both. */
export const readCallsLeft = (headers: Headers, now: Date): { calls: number; resetSeconds: number } | null => {
  const calls = leadingInteger(headers.get("x-ratelimit-remaining"));
  const reset = readReset(headers.get("x-ratelimit-reset"), now);
  return calls === undefined || reset === undefined ? null : { calls, resetSeconds: bounded(reset) };
};

/** One request to Pinterest's API. */
interface ApiRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
}

/** Why nothing came back. `unsent`: no connection came about, so the request never left. */
type Silence = "timeout" | "network" | "unsent";

/** What came back: an answer (`body` undefined when it is not JSON), or nothing within the time. */
export type Reply =
  | { kind: "reply"; status: number; headers: Headers; body: unknown }
  | { kind: "silence"; reason: Silence };

/**
 * Codes that mean "no connection", by the call of the system that failed. The same code from another call (`read`,
 * `write`) comes from a connection that stood: the request may have arrived.
 */
const NO_CONNECTION = new Map([
  ["ECONNREFUSED", "connect"],
  ["EHOSTUNREACH", "connect"],
  ["ENETUNREACH", "connect"],
  ["ENOTFOUND", "getaddrinfo"],
  ["EAI_AGAIN", "getaddrinfo"],
]);

const isNoConnection = (cause: unknown): boolean => {
  // One error for each address that was tried.
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isNoConnection);
  if (!(cause instanceof Error && "code" in cause && typeof cause.code === "string")) return false;
  if (cause.code === "UND_ERR_CONNECT_TIMEOUT") return true;
  const syscall = NO_CONNECTION.get(cause.code);
  return syscall !== undefined && "syscall" in cause && cause.syscall === syscall;
};

/** Why a `fetch` threw. `unsent` only where it is certain: what counts as unsent is sent again without a look. */
export const toSilence = (error: unknown): Silence => {
  if (!(error instanceof Error)) return "network";
  if (error.name === "TimeoutError") return "timeout";
  return isNoConnection(error.cause) ? "unsent" : "network";
};

const errorBody = z.object({
  code: z.number().optional().catch(undefined),
  message: z.string().catch(""),
});

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Sends a request and reads its whole answer within the time. A cut answer is silence. Never throws. */
export const send = async ({ method, url, headers, body, timeoutMs }: ApiRequest): Promise<Reply> => {
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: "application/json", ...headers },
      ...(body !== undefined && { body }),
      redirect: "manual",
      cache: "no-store",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { kind: "reply", status: response.status, headers: response.headers, body: parseJson(text) };
  } catch (error) {
    return { kind: "silence", reason: toSilence(error) };
  }
};

/** The answer of a call that succeeded, else null. */
export const successOf = (reply: Reply): { status: number; body: unknown } | null =>
  reply.kind === "reply" && reply.status >= 200 && reply.status < 300 ? reply : null;

/** What a reply that is no success means; a success that brought us here could not be read. */
export const problemOf = (
  reply: Reply,
  decide: (refusal: Refusal) => PinterestProblem = decideProblem,
): PinterestProblem => {
  if (reply.kind === "silence") return silenceProblem(reply.reason);
  if (successOf(reply)) return unreadableProblem(reply.status);
  const told = errorBody.safeParse(reply.body);
  const { code, message } = told.success ? told.data : { code: undefined, message: "" };
  return decide({
    status: reply.status,
    code,
    message,
    retryAfterSeconds: readWaitSeconds(reply.headers, new Date()),
  });
};

/** A reply as a checked value. Unknown fields are ignored; a success of another shape counts as `unavailable`. */
export const readReply = <S extends z.ZodType>(
  reply: Reply,
  shape: S,
  decide?: (refusal: Refusal) => PinterestProblem,
): PinterestAnswer<z.output<S>> => {
  const parsed = shape.safeParse(successOf(reply)?.body);
  if (parsed.success) return { kind: "ok", value: parsed.data };
  return { kind: "problem", problem: problemOf(reply, decide) };
};
