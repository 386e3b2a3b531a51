const UNIT_MS: Record<string, number> = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const DURATION = /^(?:\d+[wdhms])*$/;

/**
 * When a sleep ends. The SDK writes a duration ("1d2h", "" for none) or an ISO moment into the op's name.
 * @returns milliseconds since the epoch, or undefined when the text is neither.
 */
export function wakeAtMs(text: string, nowMs: number): number | undefined {
  if (!DURATION.test(text)) return isoMs(text);
  let total = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)([wdhms])/g)) total += Number(count) * (UNIT_MS[unit] ?? 0);
  return nowMs + total;
}

/** How waiting between attempts is timed. */
export interface RetryTiming {
  /** Up to this much is added to a delay at random. */
  jitterSeconds: number;
  /** Multiplies delay and jitter, not a wait that the app asked for. */
  scale: number;
}

/** Seconds before the 2nd, 3rd … attempt; the last entry repeats. The server's own table, INNGEST.md §3. */
const DELAYS_SECONDS = [15, 30, 60, 120, 300, 600, 1200, 2400, 3600, 7200];

const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Milliseconds until the next attempt, after attempt `attempt` (from 0) failed; `retryAfter` is the app's header. */
export function retryDelayMs(
  attempt: number,
  retryAfter: string | undefined,
  { jitterSeconds, scale }: RetryTiming,
  nowMs: number,
): number {
  const asked = retryAfter === undefined ? undefined : retryAfterMs(retryAfter, nowMs);
  if (asked !== undefined) return Math.min(Math.max(asked, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
  const delay = DELAYS_SECONDS[Math.min(attempt, DELAYS_SECONDS.length - 1)] ?? 0;
  return (delay + Math.random() * jitterSeconds) * scale * 1000;
}

/** Milliseconds before a call is tried again that never reached the SDK: 250, 500 … at most `mostMs`. */
export function reconnectDelayMs(failures: number, mostMs = 5_000): number {
  return Math.min(250 * 2 ** Math.min(failures, 10), mostMs);
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
