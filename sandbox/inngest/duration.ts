const UNIT_MS: Record<string, number> = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const DURATION = /^(?:\d+[wdhms])*$/;

/**
 * When a sleep ends. The SDK writes a duration ("1d2h", "" for none) or an ISO time as the op's name.
 * @returns milliseconds since the epoch, or undefined if the text is neither.
 */
export function sleepEndMs(text: string, nowMs: number): number | undefined {
  if (!DURATION.test(text)) return isoMs(text);
  let total = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)([wdhms])/g)) total += Number(count) * (UNIT_MS[unit] ?? 0);
  return nowMs + total;
}

/** Timing of retries. */
export interface RetryTiming {
  /** Maximum random addition to a delay. */
  jitterSeconds: number;
  /** Multiplies delay and jitter, but not a delay that the app requested. */
  scale: number;
}

/** Seconds before the 2nd, 3rd … attempt, as on the real server; the last entry repeats. */
const DELAYS_SECONDS = [15, 30, 60, 120, 300, 600, 1200, 2400, 3600, 7200];

const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Milliseconds until the next attempt, after attempt `attempt` (from 0) failed. `retryAfter` is the app's header. */
export function retryDelayMs(
  attempt: number,
  retryAfter: string | undefined,
  { jitterSeconds, scale }: RetryTiming,
  nowMs: number,
): number {
  const requestedMs = retryAfter === undefined ? undefined : retryAfterMs(retryAfter, nowMs);
  if (requestedMs !== undefined) return Math.min(Math.max(requestedMs, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
  const delay = DELAYS_SECONDS[Math.min(attempt, DELAYS_SECONDS.length - 1)] ?? 0;
  return (delay + Math.random() * jitterSeconds) * scale * 1000;
}

/** Milliseconds before a call that never reached the SDK is repeated: 250, 500 … up to `maxMs`. */
export function reconnectDelayMs(failures: number, maxMs = 5_000): number {
  return Math.min(250 * 2 ** Math.min(failures, 10), maxMs);
}

function retryAfterMs(header: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = isoMs(header);
  return at === undefined ? undefined : at - nowMs;
}

function isoMs(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
