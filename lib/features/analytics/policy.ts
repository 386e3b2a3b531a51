import { AppError } from "#lib/core/errors.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import type { PinStatus } from "#lib/features/pins/constants.ts";
import {
  HISTORY_DAYS,
  IMPRESSIONS_MIN,
  TEXTS,
  VARIANT_CLICKS_MIN,
  VARIANT_COOLDOWN_DAYS,
  VARIANT_IMPRESSIONS_MIN,
  WORSE_VARIANTS_MAX,
} from "./constants.ts";

/** UTC days as Pinterest counts them, `2026-11-20`; both are included. */
export interface DayRange {
  firstDay: string;
  lastDay: string;
}

const SETTLING_DAYS = 2;

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

export const shiftDay = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * DAY_MS));

export const countDays = ({ firstDay, lastDay }: DayRange): number =>
  Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1;

export const firstAvailableDay = (now: Date): string => shiftDay(dayOf(now), 1 - HISTORY_DAYS);

export const lastFinalDay = (now: Date): string => shiftDay(dayOf(now), -SETTLING_DAYS);

/** The last `days` days up to the last final one, within Pinterest's history. */
export const recentSpan = (now: Date, days: number): DayRange => {
  const lastDay = lastFinalDay(now);
  const [firstDay, earliest] = [shiftDay(lastDay, 1 - days), firstAvailableDay(now)];
  return { firstDay: firstDay < earliest ? earliest : firstDay, lastDay };
};

/** @throws AppError `invalid` when the range is reversed, begins before Pinterest's history, or ends in the future. */
export const checkRange = ({ firstDay, lastDay }: DayRange, now: Date): void => {
  const wrong =
    firstDay > lastDay
      ? { field: "end_date", text: TEXTS.rangeInvalid }
      : lastDay > dayOf(now)
        ? { field: "end_date", text: TEXTS.rangeInFuture }
        : firstDay < firstAvailableDay(now)
          ? { field: "start_date", text: TEXTS.rangeTooOld }
          : null;
  if (wrong) throw new AppError("invalid", { text: wrong.text, fields: { [wrong.field]: [wrong.text] } });
};

/** The same number of days right before; null when they begin before Pinterest's history. */
export const rangeBefore = (range: DayRange, now: Date): DayRange | null => {
  const before = { firstDay: shiftDay(range.firstDay, -countDays(range)), lastDay: shiftDay(range.firstDay, -1) };
  return before.firstDay < firstAvailableDay(now) ? null : before;
};

export const matchingDaysBefore = (ready: readonly { date: string }[], range: DayRange): Set<string> =>
  new Set(ready.map(({ date }) => shiftDay(date, -countDays(range))));

/** A share from 0 to 1 with its 95 % confidence interval. */
export interface Rate {
  rate: number;
  low: number;
  high: number;
}

const Z = 1.959963984540054; // 97.5 % quantile of the normal distribution

/** Valid for few cases; null without any. Capped at 1, since clicks can follow earlier impressions. */
export const wilson = (hits: number, cases: number): Rate | null => {
  if (cases <= 0) return null;
  const rate = Math.min(1, Math.max(0, hits / cases));
  const spread = (Z * Z) / cases;
  const middle = (rate + spread / 2) / (1 + spread);
  const half = Math.sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread);
  return { rate, low: rate === 0 ? 0 : middle - half, high: rate === 1 ? 1 : middle + half };
};

/** How keywords are compared: `Slow  Bread` is `slow bread`. */
export const plainKeyword = (keyword: string): string => keyword.trim().replace(/\s+/g, " ").toLowerCase();

export interface Sums {
  impressions: number;
  pinClicks: number;
  outboundClicks: number;
  saves: number;
}

export const NO_SUMS: Sums = { impressions: 0, pinClicks: 0, outboundClicks: 0, saves: 0 };

export const addSums = (a: Sums, b: Sums): Sums => ({
  impressions: a.impressions + b.impressions,
  pinClicks: a.pinClicks + b.pinClicks,
  outboundClicks: a.outboundClicks + b.outboundClicks,
  saves: a.saves + b.saves,
});

export interface AccountSums extends Sums {
  engagements: number;
}

export const NO_METRICS: AccountSums = { ...NO_SUMS, engagements: 0 };

export const addAccountSums = (a: AccountSums, b: AccountSums): AccountSums => ({
  ...addSums(a, b),
  engagements: a.engagements + b.engagements,
});

export interface Group {
  key: string;
  label: string | null;
  pins: number;
  countedPins: number;
  sums: Sums;
}

export interface EvaluatedGroup extends Group {
  click: Rate | null;
  isUndecided: boolean;
}

const evaluate = (group: Group): EvaluatedGroup => ({
  ...group,
  click: wilson(group.sums.outboundClicks, group.sums.impressions),
  isUndecided: group.sums.impressions < IMPRESSIONS_MIN,
});

const compare = (a: EvaluatedGroup, b: EvaluatedGroup): number => {
  if (a.isUndecided !== b.isUndecided) return a.isUndecided ? 1 : -1;
  const byRate = a.isUndecided ? 0 : (b.click?.low ?? 0) - (a.click?.low ?? 0);
  return byRate || b.sums.impressions - a.sums.impressions || b.pins - a.pins || (a.key < b.key ? -1 : 1);
};

/** Sorts by the lower end of the interval, so that a lucky group with few impressions does not come first. */
export const rank = (groups: readonly Group[]): EvaluatedGroup[] => groups.map(evaluate).toSorted(compare);

export type ClickCounts = Pick<Sums, "impressions" | "outboundClicks">;

/** The chance that luck alone makes a group the winner, over all comparisons. */
const SIGNIFICANCE = 0.025;

/** The natural logarithm of n!, by Stirling's series. */
const logFactorial = (n: number): number =>
  n < 1 ? 0 : n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);

/** The binomial probability of at least `hits`; only valid for more hits than expected. */
const tailOf = (hits: number, cases: number, share: number): number => {
  const ways = logFactorial(cases) - logFactorial(hits) - logFactorial(cases - hits);
  let term = Math.exp(ways + hits * Math.log(share) + (cases - hits) * Math.log(1 - share));
  let sum = term;
  for (let at = hits; at < cases && term > sum * 1e-9; at += 1) {
    term *= (((cases - at) / (at + 1)) * share) / (1 - share);
    sum += term;
  }
  return sum;
};

/** An exact binomial test; the number of comparisons tightens the threshold (Bonferroni). */
export const isAbove = (one: ClickCounts, other: ClickCounts, evaluated: number): boolean => {
  const seen = one.impressions + other.impressions;
  const clicks = one.outboundClicks + other.outboundClicks;
  const share = one.impressions / seen;
  if (one.impressions <= 0 || other.impressions <= 0 || one.outboundClicks <= clicks * share) return false;
  return tailOf(one.outboundClicks, clicks, share) <= SIGNIFICANCE / Math.max(1, evaluated);
};

export const others = (all: ClickCounts, own: ClickCounts): ClickCounts => ({
  impressions: all.impressions - own.impressions,
  outboundClicks: all.outboundClicks - own.outboundClicks,
});

/** `evaluated`: the best first; `count`: their number when the list is cut. */
export const standingOf = (
  evaluated: readonly ClickCounts[],
  all: ClickCounts,
  count = evaluated.length,
): { isSure: boolean; level: number } => {
  const [best, ...rest] = evaluated;
  if (!best) return { isSure: false, level: 0 };
  return {
    isSure: isAbove(best, others(all, best), count),
    level: rest.filter((group) => !isAbove(best, group, count)).length,
  };
};

interface SyncRow {
  wakeAt: Date | null;
  resumesAt: Date | null;
  problemText: string | null;
}

/** `held`: stopped until someone acts. `waiting`: resumes at a known time. */
export const syncStateOf = (
  sync: SyncRow | null,
  { hours, now, isConnected }: { hours: number; now: Date; isConnected: boolean },
): "off" | "lost" | "idle" | "held" | "waiting" | "working" => {
  if (hours === 0) return "off";
  if (!isConnected) return "lost";
  if (!sync?.wakeAt) return sync?.problemText ? "held" : "idle";
  return sync.resumesAt !== null && sync.resumesAt > now ? "waiting" : "working";
};

const [MONDAY, TUESDAY] = [1, 2];

/** The week's Monday and the local hour on Mondays and Tuesdays; null on other days. */
export const weeklyEmailDayIn = (timeZone: string, now: Date): { week: string; hour: number } | null => {
  const { date, time } = localTimeOf(now, timeZone);
  const weekday = new Date(`${date}T00:00:00.000Z`).getUTCDay();
  if (weekday !== MONDAY && weekday !== TUESDAY) return null;
  return { week: shiftDay(date, MONDAY - weekday), hour: Number(time.slice(0, 2)) };
};

/** One of an account's pins with the same link, which are variants of each other. */
export interface Variant {
  id: string;
  title: string;
  keyword: string | null;
  link: string;
  boardId: string;
  imageKey: string;
  status: Exclude<PinStatus, "deleted">;
  createdAt: Date;
  publishedAt: Date | null;
  /** Of the last 90 days; null without metrics. */
  impressions: number | null;
  outboundClicks: number | null;
}

export type MeasuredVariant = Variant & { publishedAt: Date; impressions: number; outboundClicks: number };

const isCounted = (pin: Variant): pin is MeasuredVariant =>
  pin.status === "published" && pin.publishedAt !== null && pin.impressions !== null && pin.outboundClicks !== null;

const isShown = ({ impressions }: MeasuredVariant): boolean => impressions >= VARIANT_IMPRESSIONS_MIN;

export const clickRateOf = ({
  impressions,
  outboundClicks,
}: Pick<MeasuredVariant, "impressions" | "outboundClicks">): number =>
  impressions === 0 ? 0 : outboundClicks / impressions;

const countedOf = (pins: readonly Variant[]): MeasuredVariant[] =>
  pins
    .filter(isCounted)
    .toSorted((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime() || (a.id < b.id ? -1 : 1));

/** Those that were shown often enough to be compared, by publish time. */
export const measuredOf = (pins: readonly Variant[]): MeasuredVariant[] => countedOf(pins).filter(isShown);

export interface Proposal {
  pin: MeasuredVariant;
  /** Later pins with its link that did worse, or were hardly shown. */
  later: MeasuredVariant[];
}

/**
 * The pin of a link that deserves a variant: the one with the best click rate, long after it was published. Null while
 * there is a newer or an unpublished pin for the link, and once variants have done worse often enough.
 */
export const proposeVariant = (family: readonly Variant[], now: Date): Proposal | null => {
  const since = addMs(now, -VARIANT_COOLDOWN_DAYS * DAY_MS);
  const isRecent = ({ status, createdAt, publishedAt }: Variant) =>
    ["draft", "scheduled"].includes(status) || (publishedAt ?? createdAt) > since || createdAt > since;
  if (family.some(isRecent)) return null;
  const measured = measuredOf(family);
  const earned = measured.filter(({ outboundClicks }) => outboundClicks >= VARIANT_CLICKS_MIN);
  const pin = earned.toSorted((a, b) => clickRateOf(b) - clickRateOf(a))[0];
  if (!pin) return null;
  // All are past the cooldown, so one that was hardly shown by now did worse, too.
  const isWorse = (other: MeasuredVariant) =>
    other.publishedAt > pin.publishedAt && (!isShown(other) || clickRateOf(other) < clickRateOf(pin));
  const later = countedOf(family).filter(isWorse);
  return later.length >= WORSE_VARIANTS_MAX ? null : { pin, later };
};
