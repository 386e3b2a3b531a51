import { z } from "zod";
import type { PinterestProblem, PinterestResult } from "./port.ts";
import { decideProblem, noResponseProblem, type Refusal, unreadableProblem } from "./problems.ts";

const MAX_WAIT_SECONDS = 86_400;
/** Larger numbers in a reset header are Unix seconds, not a duration. */
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

/** Seconds up to a day: Retry-After (seconds or a date), else the reset header. The leading integer counts. */
export const parseWaitSeconds = (headers: Headers, now: Date): number | undefined => {
  const wait = readRetryAfter(headers.get("retry-after"), now) ?? readReset(headers.get("x-ratelimit-reset"), now);
  return wait === undefined ? undefined : bounded(wait);
};

/** The remaining calls and the seconds until the limit resets; null unless the headers name both. */
export const parseCallsLeft = (headers: Headers, now: Date): { calls: number; resetSeconds: number } | null => {
  const calls = leadingInteger(headers.get("x-ratelimit-remaining"));
  const reset = readReset(headers.get("x-ratelimit-reset"), now);
  return calls === undefined || reset === undefined ? null : { calls, resetSeconds: bounded(reset) };
};

interface ApiRequest {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
}

/** `unsent`: no connection was made, so the request never left. */
type NoResponseReason = "timeout" | "network" | "unsent";

/** A response (`body` is undefined when it is not JSON), or none in time. */
export type Reply =
  | { kind: "reply"; status: number; headers: Headers; body: unknown }
  | { kind: "no_response"; reason: NoResponseReason };

/** From `read` or `write` the request may have arrived, so these count only with their system call. */
const NO_CONNECTION = new Map([
  ["ECONNREFUSED", "connect"],
  ["EHOSTUNREACH", "connect"],
  ["ENETUNREACH", "connect"],
  ["ENOTFOUND", "getaddrinfo"],
  ["EAI_AGAIN", "getaddrinfo"],
]);

const isNoConnection = (cause: unknown): boolean => {
  // One error per address that was tried.
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isNoConnection);
  if (!(cause instanceof Error && "code" in cause && typeof cause.code === "string")) return false;
  if (cause.code === "UND_ERR_CONNECT_TIMEOUT") return true;
  const syscall = NO_CONNECTION.get(cause.code);
  return syscall !== undefined && "syscall" in cause && cause.syscall === syscall;
};

/** Why `fetch` threw. `unsent` only when that is certain, since such requests are sent again without a board check. */
export const toNoResponseReason = (error: unknown): NoResponseReason => {
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

/** Sends a request and reads the whole response in time; a truncated one counts as none. Never throws. */
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
    return { kind: "no_response", reason: toNoResponseReason(error) };
  }
};

export const successOf = (reply: Reply): { status: number; body: unknown } | null =>
  reply.kind === "reply" && reply.status >= 200 && reply.status < 300 ? reply : null;

/** The problem of an unsuccessful reply; a success here means that its body was unreadable. */
export const problemOf = (
  reply: Reply,
  decide: (refusal: Refusal) => PinterestProblem = decideProblem,
): PinterestProblem => {
  if (reply.kind === "no_response") return noResponseProblem(reply.reason);
  if (successOf(reply)) return unreadableProblem(reply.status);
  const parsed = errorBody.safeParse(reply.body);
  const { code, message } = parsed.success ? parsed.data : { code: undefined, message: "" };
  return decide({
    status: reply.status,
    code,
    message,
    retryAfterSeconds: parseWaitSeconds(reply.headers, new Date()),
  });
};

/** A validated response. Unknown fields are ignored; a success of another shape counts as `unavailable`. */
export const readReply = <S extends z.ZodType>(
  reply: Reply,
  shape: S,
  decide?: (refusal: Refusal) => PinterestProblem,
): PinterestResult<z.output<S>> => {
  const parsed = shape.safeParse(successOf(reply)?.body);
  if (parsed.success) return { kind: "ok", value: parsed.data };
  return { kind: "problem", problem: problemOf(reply, decide) };
};
