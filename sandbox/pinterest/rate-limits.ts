import type { Clock } from "../kit/clock.ts";

/** The published categories that the calls of this stand-in belong to. */
export type RateCategory = "org_read" | "org_write";

/** Calls allowed per minute, account and category. */
export type CallsPerMinute = Record<RateCategory, number>;

/** The published limits of Standard access. */
export const STANDARD_CALLS_PER_MINUTE: CallsPerMinute = { org_read: 1000, org_write: 100 };

/** How a call stands against its limit. */
export interface RateVerdict {
  allowed: boolean;
  headers: Record<string, string>;
}

/** Counts calls in windows of a minute. Nothing of it survives a restart. */
export interface RateLimits {
  count(accountId: string, category: RateCategory): RateVerdict;
  clear(): void;
}

const WINDOW_MS = 60_000;
const CALLS_PER_SECOND = 100;

/** Limits that are counted against the stand-in's clock. */
export function createRateLimits(clock: Clock, callsPerMinute: CallsPerMinute): RateLimits {
  const windows = new Map<string, { startedAtMs: number; calls: number }>();
  return {
    count(accountId, category) {
      const nowMs = clock.now().getTime();
      const key = `${accountId} ${category}`;
      const known = windows.get(key);
      const isCurrent = known !== undefined && Math.abs(nowMs - known.startedAtMs) < WINDOW_MS;
      const window = isCurrent ? known : { startedAtMs: nowMs, calls: 0 };
      windows.set(key, window);
      window.calls += 1;
      const limit = callsPerMinute[category];
      return {
        allowed: window.calls <= limit,
        headers: {
          "x-ratelimit-limit": `${limit}, ${CALLS_PER_SECOND};w=1;name="safety_net_app_id_user_id", ${limit};w=60;name="${category}_app_id_user_id"`,
          "x-ratelimit-remaining": String(Math.max(0, limit - window.calls)),
          "x-ratelimit-reset": String(Math.ceil((window.startedAtMs + WINDOW_MS - nowMs) / 1000)),
        },
      };
    },
    clear() {
      windows.clear();
    },
  };
}
