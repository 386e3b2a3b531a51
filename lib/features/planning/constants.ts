import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";

export const PACE_RULES = ["perDay", "warmUp", "gap", "quiet", "link", "similar"] as const;
/** A rule of the pace, by which a pin may be moved, and which a user may leave out of one plan. */
export type PaceRule = (typeof PACE_RULES)[number];

export const PRESET_NAMES = ["gentle", "steady", "brisk"] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** The numbers of an account's pace. Times of day are `HH:MM` in the account's time zone. */
export interface PaceNumbers {
  /** Pins a day, once the account is warmed up. */
  perDay: number;
  gapMinutes: number;
  /** Pins a day right after the account was connected. */
  warmUpStart: number;
  /** The daily limit grows until both are reached; 0 for both: no warm-up. */
  warmUpDays: number;
  warmUpPins: number;
  /** Nothing goes out in between; equal times: no quiet hours. */
  quietFrom: string;
  quietTo: string;
  /** Days between pins with the same link; 0: not kept apart. */
  linkDays: number;
  /** Days between pins with nearly identical images or titles; 0: not kept apart. */
  similarDays: number;
  /** Up to this many minutes are added to a pin's time, so that times don't look automatic. */
  jitterMinutes: number;
}

export const PRESETS: Record<PresetName, PaceNumbers> = {
  gentle: {
    ...{ perDay: 5, gapMinutes: 120, warmUpStart: 1, warmUpDays: 28, warmUpPins: 40, linkDays: 14, similarDays: 30 },
    ...{ quietFrom: "22:00", quietTo: "07:00", jitterMinutes: 20 },
  },
  steady: {
    ...{ perDay: 10, gapMinutes: 60, warmUpStart: 2, warmUpDays: 21, warmUpPins: 60, linkDays: 7, similarDays: 14 },
    ...{ quietFrom: "23:00", quietTo: "06:00", jitterMinutes: 12 },
  },
  brisk: {
    ...{ perDay: 25, gapMinutes: 20, warmUpStart: 5, warmUpDays: 14, warmUpPins: 100, linkDays: 3, similarDays: 7 },
    ...{ quietFrom: "00:00", quietTo: "00:00", jitterMinutes: 5 },
  },
};
export const NUMBER_NAMES = Object.keys(PRESETS.steady) as (keyof PaceNumbers)[];
export const PRESET_DEFAULT: PresetName = "steady";

export const NUMBER_RANGES = {
  perDay: { min: 1, max: 100 },
  gapMinutes: { min: 1, max: 1_440 },
  warmUpStart: { min: 1, max: 100 },
  warmUpDays: { min: 0, max: 180 },
  warmUpPins: { min: 0, max: 1_000 },
  linkDays: { min: 0, max: 90 },
  similarDays: { min: 0, max: 90 },
  jitterMinutes: { min: 0, max: 60 },
} as const;
export type PaceNumberName = keyof typeof NUMBER_RANGES;

export const TEXTS = {
  source: "Pinterest doesn't publish limits, so these follow common practice.",
  numberInvalid: "Enter a whole number in the range.",
  timeInvalid: "Enter a time like 10:00 PM.",
  startTooHigh: "Pins a day at the start of warm-up can't exceed the daily limit.",
  quietAllDay: "Quiet hours can last up to 20 hours.",
  ruleInvalid: "Choose a rule.",
  ruleTwice: "The same rule is listed twice.",
  reasonNeeded: "Enter a reason.",
  reasonTooLong: "Reasons can have up to 200 characters.",
  slotsInvalid: "Choose a time for each pin.",
  changedMeanwhile: "Other pins were scheduled in the meantime. Check the new times.",
} as const;

export const REASON_MAX = 200;

/** Quiet hours leave at least this much of the day. */
export const AWAKE_MIN_MINUTES = 240;

export const NO_RULES: ReadonlySet<PaceRule> = new Set();

/** Any fixed number: jitter differs by pin, and the same pins always get the same plan. */
export const PLAN_SEED = 1;

/** A plan from now on starts this much later, so that its first time hasn't passed when the user confirms it. */
export const PLAN_LEAD_MS = 6 * MINUTE_MS;

/** No pin is planned later than this; the schedule accepts a day more, so that a shown plan stays valid. */
export const PLAN_AHEAD_MS = 365 * DAY_MS;
