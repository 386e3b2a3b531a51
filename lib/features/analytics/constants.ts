import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Pinterest tells figures of the last 90 days, today among them, each a day in UTC (BRIEF §2). */
export const REACH_DAYS = 90;

/**
 * Calls for figures, per account: Pinterest allows 60 a minute, however it counts its minutes. One call is forgotten
 * every so often, so that no minute whatsoever sees more than 40 and those kept: 50 for gathering, 60 with screens.
 */
export const CALL_PACE_MS = 1_500;
export const CALLS_KEPT = { gathering: 10, screen: 20 } as const;
export type CallPurpose = keyof typeof CALLS_KEPT;

/** How long no call is made when Pinterest refuses one for too many, and does not say for how long. */
export const LIMIT_PAUSE_MS = MINUTE_MS;

/** The least that is waited after such a refusal, whatever it says. */
export const LIMIT_PAUSE_LEAST_MS = 5 * SECOND_MS;

/** Pins in one call, where Pinterest lets us ask for many; after a refusal of that it is tried again a day later. */
export const PINS_PER_CALL = 100;
export const BULK_REFUSED_MS = DAY_MS;

/** No further call is begun in a move that took so long. */
export const MOVE_LONGEST_MS = 30 * SECOND_MS;

/** Figures are fetched anew, when somebody looks, after this share of the hours that they are kept. */
export const REFRESH_SHARE = 0.75;

/** How long it is remembered that Pinterest no longer has a pin. */
export const GONE_KEPT_MS = 30 * DAY_MS;

/** Calls in a row that failed in passing, with growing pauses, and calls in a row that were refused, until a run ends. */
export const FAILURES_MAX = 6;
export const FAILURE_FIRST_MS = 15 * SECOND_MS;
export const FAILURE_LONGEST_MS = 10 * MINUTE_MS;
export const REFUSALS_MAX = 12;

/** Groups of pins whose calls fail in a row, until they are read one by one; and one pin's failures, until it is left alone. */
export const GROUP_FAILURES_MAX = 3;
export const PIN_FAILURES_MAX = 3;

/** Pinterest's own code, with HTTP 404, for a pin that it no longer has; and pins in a row of which it says so until a run ends. */
export const GONE_CODE = 50;
export const GONE_MAX = 12;

/** So long after a run that could not go on, asking begins another. */
export const HELD_AGAIN_MS = MINUTE_MS;

/** After so long the sweep sends the event of a run that nobody works on; each time after twice as long. */
export const FORGOTTEN_FIRST_MS = 5 * MINUTE_MS;
export const FORGOTTEN_LONGEST_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 100;

/** Spans that screens offer, in days up to yesterday's yesterday: the last one that is usually final. */
export const SPANS = [7, 30, 90] as const;

/** What pins are grouped by. */
export const DIMENSIONS = ["keyword", "board", "weekday", "hour", "style", "template", "link"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Pinterest's figures that the product shows, as the wire names them. */
export const METRICS = ["impressions", "engagements", "pin_clicks", "outbound_clicks", "saves"] as const;
export type Metric = (typeof METRICS)[number];

/** A group that was seen less often says nothing yet: "too early to tell". */
export const IMPRESSIONS_MIN = 1_000;

/** Groups in one answer, the best first; the others are counted. */
export const ROWS_MAX = 500;

/** Top pins in one answer. */
export const TOP_PINS = 12;

export const TEXTS = {
  rangeInvalid: "The days are written as 2026-11-20, the first not after the last.",
  rangeTooOld: "Pinterest keeps figures of 90 days. Choose a later first day.",
  rangeInFuture: "These days have not come yet.",
  dimensionInvalid: "Results are grouped by keyword, board, weekday, hour, style, template or link.",
  manyGone:
    "Pinterest says that it no longer has a dozen of these pins in a row. Trying again asks for those behind them.",
  tooEarly: "Too early to tell",
  callsUsedUp: "Pinterest is asked for this account's figures as often as it allows. Please try again in a moment.",
} as const;

/** How far back pins are told by the clock of their zone: earlier ones by the first offset within. */
export const PLACED_MS = 5 * 366 * DAY_MS;

/** Groups as people read them, where the key alone does not say it. */
export const WORDS = {
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
  styles: { ai: "AI picture", manual: "Own picture" },
} as const;

/**
 * The weekly mail, by the clock of its reader's zone: figures are fetched, then told, at last until so late; on
 * Mondays, and once more on Tuesdays for those who were not told.
 */
export const WEEKLY_HOURS = { ask: 5, tell: 8, tellUnfinished: 12, end: 20 } as const;

/** Below so many sightings in a week there is nothing to tell. */
export const WEEKLY_IMPRESSIONS_MIN = 100;

/** Keywords are compared over so many days: a week is too short for most. */
export const WEEKLY_KEYWORD_DAYS = 30;

/** Figures whose last final day is longer ago than so many days are no news of last week. */
export const WEEKLY_STALE_DAYS = 5;

/** Users who are looked up at once. */
export const WEEKLY_BATCH = 200;
