import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Pinterest reports metrics for the last 90 days in UTC, including today. */
export const HISTORY_DAYS = 90;

/** Pinterest allows 60 calls a minute. One counted call expires per interval, so a minute sees 40 plus the limit. */
export const CALL_INTERVAL_MS = 1_500;
export const CALL_LIMITS = { sync: 10, screen: 20 } as const;
export type CallPurpose = keyof typeof CALL_LIMITS;

/** The pause after a rate-limit response without a Retry-After. */
export const LIMIT_PAUSE_MS = MINUTE_MS;

export const LIMIT_PAUSE_MIN_MS = 5 * SECOND_MS;

export const PINS_PER_CALL = 100;
/** After Pinterest refuses bulk calls, they are tried again a day later. */
export const BULK_REFUSED_MS = DAY_MS;

export const STEP_MAX_MS = 30 * SECOND_MS;

/** Metrics are refreshed on demand after this share of the hours they are kept. */
export const REFRESH_SHARE = 0.75;

export const GONE_TTL_MS = 30 * DAY_MS;

/** Consecutive failures (with growing pauses) or refusals that end a run. */
export const FAILURES_MAX = 6;
export const FAILURE_FIRST_MS = 15 * SECOND_MS;
export const FAILURE_MAX_MS = 10 * MINUTE_MS;
export const REFUSALS_MAX = 12;

export const GROUP_FAILURES_MAX = 3;
export const PIN_FAILURES_MAX = 3;

/** Pinterest's error code, with HTTP 404, for a deleted pin; and how many in a row end a run. */
export const GONE_CODE = 50;
export const GONE_MAX = 12;

export const HELD_RETRY_MS = MINUTE_MS;

/** The sweep resends the event of a stalled run after this time, doubling each time. */
export const STALLED_FIRST_MS = 5 * MINUTE_MS;
export const STALLED_MAX_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 100;

export const SPANS = [7, 30, 90] as const;

export const DIMENSIONS = ["keyword", "board", "weekday", "hour", "style", "template", "link"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const METRICS = ["impressions", "engagements", "pin_clicks", "outbound_clicks", "saves"] as const;
export type Metric = (typeof METRICS)[number];

/** Groups with fewer impressions are "too early to tell". */
export const IMPRESSIONS_MIN = 1_000;

export const ROWS_MAX = 500;

/** Days since publishing after which a pin may get a variant, and between two variants. */
export const VARIANT_COOLDOWN_DAYS = 60;
/** What a pin has to earn before a variant is proposed. */
export const VARIANT_CLICKS_MIN = 5;
export const VARIANT_IMPRESSIONS_MIN = 100;
/** After as many variants that did worse, none is proposed anymore. */
export const WORSE_VARIANTS_MAX = 2;
export const PROPOSALS_MAX = 12;

export const TOP_PINS = 12;

export const TEXTS = {
  rangeInvalid: "Enter dates in YYYY-MM-DD format, like 2026-11-20, with the start date before the end date.",
  rangeTooOld: "Pinterest keeps 90 days of metrics. Choose a later start date.",
  rangeInFuture: "Choose an end date that isn't in the future.",
  dimensionInvalid: "Group by keyword, board, weekday, hour, style, template, or link.",
  manyGone: "Pinterest couldn't find several of these pins, so we paused. Try again to load the rest.",
  tooEarly: "Too early to tell",
  callsUsedUp: "We've reached Pinterest's request limit for this account. Please try again in a moment.",
} as const;

/** How far back daylight saving changes are known. Earlier times use the oldest known offset. */
export const OFFSET_HISTORY_MS = 5 * 366 * DAY_MS;

export const LABELS = {
  nothing: {
    keyword: "No keyword",
    board: "No board",
    weekday: "Unknown",
    hour: "Unknown",
    style: "Unknown",
    template: "No template",
    link: "No link",
  } satisfies Record<Dimension, string>,
  weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
  styles: { ai: "AI image", manual: "Your image" },
} as const;

/** In the user's time zone. `sendUnfinished`: from then on it no longer waits for a running sync. */
export const WEEKLY_HOURS = { sync: 5, send: 8, sendUnfinished: 12, end: 20 } as const;

export const WEEKLY_IMPRESSIONS_MIN = 100;

/** Days over which the weekly email compares keywords; a week is too short for most. */
export const WEEKLY_KEYWORD_DAYS = 30;

/** No email is sent when the last final day is older than this many days. */
export const WEEKLY_STALE_DAYS = 5;

export const WEEKLY_BATCH = 200;
