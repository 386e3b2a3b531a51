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
