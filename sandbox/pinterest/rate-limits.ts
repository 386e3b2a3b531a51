import type { Clock } from "../kit/serve.ts";
import type { PinterestSettings } from "./settings.ts";

/** Categories of the supported calls: published limits per minute and account, or per day with Trial access. */
const CATEGORIES = {
  org_read: { perMinute: 1000, perDay: 1000, setting: "orgReadLimit" },
  org_write: { perMinute: 100, perDay: 300, setting: "orgWriteLimit" },
  org_analytics: { perMinute: 60, perDay: 1000, setting: "orgAnalyticsLimit" },
  trends_read: { perMinute: 60, perDay: 1000, setting: "trendsReadLimit" },
  ads_read: { perMinute: 1000, perDay: 1000, setting: "adsReadLimit" },
} as const satisfies Record<string, { perMinute: number; perDay: number; setting: keyof PinterestSettings }>;
export type RateCategory = keyof typeof CATEGORIES;

/** Counts calls in windows that start with their first call. Not persisted. */
export interface RateLimits {
  count(accountId: string, category: RateCategory): { allowed: boolean; headers: Record<string, string> };
  clear(): void;
}

const TRIAL_ALL_PER_DAY = 1000;
const STANDARD_ALL_PER_SECOND = 100;
const DAY_SECONDS = 86_400;

interface Limit {
  /** The name in the header; windows are counted by name and holder. */
  name: string;
  holder: string;
  calls: number;
  windowSeconds: number;
}

interface LimitState extends Limit {
  remaining: number;
  resetSeconds: number;
  isExceeded: boolean;
}

export function createRateLimits(clock: Clock, settings: () => PinterestSettings): RateLimits {
  const windows = new Map<string, { startedAtMs: number; calls: number }>();
  const countOne = (limit: Limit): LimitState => {
    const nowMs = clock.now().getTime();
    const key = `${limit.name} ${limit.holder}`;
    const known = windows.get(key);
    const isCurrent = known !== undefined && Math.abs(nowMs - known.startedAtMs) < limit.windowSeconds * 1000;
    const window = isCurrent ? known : { startedAtMs: nowMs, calls: 0 };
    windows.set(key, window);
    window.calls += 1;
    return {
      ...limit,
      remaining: Math.max(0, limit.calls - window.calls),
      resetSeconds: Math.ceil((window.startedAtMs + limit.windowSeconds * 1000 - nowMs) / 1000),
      isExceeded: window.calls > limit.calls,
    };
  };
  return {
    count(accountId, category) {
      const states = limitsOf(settings(), accountId, category).map(countOne);
      const [overall, own] = states;
      const shown = overall?.isExceeded ? overall : own;
      if (overall === undefined || shown === undefined) throw new Error("A call counts against two limits");
      return { allowed: !states.some(({ isExceeded }) => isExceeded), headers: headersOf(shown, states) };
    },
    clear: () => windows.clear(),
  };
}

/** The overall limit, then the category's. With Trial access all users of the app share both. */
function limitsOf(settings: PinterestSettings, accountId: string, category: RateCategory): Limit[] {
  const { perMinute, perDay, setting } = CATEGORIES[category];
  const chosen = settings[setting];
  if (settings.access === "trial") {
    const shared = { holder: "app", windowSeconds: DAY_SECONDS };
    return [
      { ...shared, name: "trial_app_id", calls: settings.overallLimit || TRIAL_ALL_PER_DAY },
      { ...shared, name: `trial_${category}_app_id`, calls: chosen || perDay },
    ];
  }
  const overall = settings.overallLimit || STANDARD_ALL_PER_SECOND;
  return [
    { holder: accountId, name: "safety_net_app_id_user_id", calls: overall, windowSeconds: 1 },
    { holder: accountId, name: `${category}_app_id_user_id`, calls: chosen || perMinute, windowSeconds: 60 },
  ];
}

/** The limit header has the observed structure: the tightest limit, then each with its window. */
function headersOf(shown: LimitState, all: readonly LimitState[]): Record<string, string> {
  const policies = all.map(({ calls, windowSeconds, name }) => `${calls};w=${windowSeconds};name="${name}"`);
  return {
    "x-ratelimit-limit": [String(shown.calls), ...policies].join(", "),
    "x-ratelimit-remaining": String(shown.remaining),
    "x-ratelimit-reset": String(shown.resetSeconds),
  };
}
