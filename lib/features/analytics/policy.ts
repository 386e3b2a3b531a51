import { AppError } from "#lib/core/errors.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { wallTimeOf } from "#lib/core/zoned-time.ts";
import { IMPRESSIONS_MIN, REACH_DAYS, TEXTS } from "./constants.ts";

/** Days in UTC as Pinterest counts, `2026-11-20`, both of them among it. */
export interface DayRange {
  firstDay: string;
  lastDay: string;
}

/** A day of the last two is not final: Pinterest still counts. */
const SETTLING_DAYS = 2;

/** The day in UTC that a moment lies in. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** A day so many days later, or earlier. */
export const shiftDay = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * DAY_MS));

/** How many days a range has. */
export const countDays = ({ firstDay, lastDay }: DayRange): number =>
  Math.round((Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS) + 1;

/** The first day that Pinterest still tells of. */
export const firstToldDay = (now: Date): string => shiftDay(dayOf(now), 1 - REACH_DAYS);

/** The last day whose figures are usually final. */
export const lastFinalDay = (now: Date): string => shiftDay(dayOf(now), -SETTLING_DAYS);

/** So many days up to the last final one; of the longest span as many as Pinterest tells. */
export const spanUpTo = (now: Date, days: number): DayRange => {
  const lastDay = lastFinalDay(now);
  const [firstDay, told] = [shiftDay(lastDay, 1 - days), firstToldDay(now)];
  return { firstDay: firstDay < told ? told : firstDay, lastDay };
};

/**
 * Whether Pinterest tells of these days at all.
 * @throws AppError `invalid` for a range that is reversed, begins too long ago, or ends in the future.
 */
export const checkRange = ({ firstDay, lastDay }: DayRange, now: Date): void => {
  const wrong =
    firstDay > lastDay
      ? { field: "end_date", text: TEXTS.rangeInvalid }
      : lastDay > dayOf(now)
        ? { field: "end_date", text: TEXTS.rangeInFuture }
        : firstDay < firstToldDay(now)
          ? { field: "start_date", text: TEXTS.rangeTooOld }
          : null;
  if (wrong) throw new AppError("invalid", { text: wrong.text, fields: { [wrong.field]: [wrong.text] } });
};

/** As many days right before; null where Pinterest does not tell of all of them any more. */
export const rangeBefore = (range: DayRange, now: Date): DayRange | null => {
  const before = { firstDay: shiftDay(range.firstDay, -countDays(range)), lastDay: shiftDay(range.firstDay, -1) };
  return before.firstDay < firstToldDay(now) ? null : before;
};

/** For each final day of a range the one that is as many days earlier as the range is long: those compare. */
export const twinsBefore = (ready: readonly { date: string }[], range: DayRange): Set<string> =>
  new Set(ready.map(({ date }) => shiftDay(date, -countDays(range))));

/** A share from 0 to 1, and between which ends it lies with a confidence of 95 %. */
export interface Rate {
  rate: number;
  low: number;
  high: number;
}

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;

/**
 * The Wilson interval of a share: honest for few cases, and never outside 0 to 1. Cases count as independent, which
 * the sightings of one pin are not quite: groups of few pins are less certain than it says. Null where nothing was seen.
 * @param hits more than the cases, as clicks on what was seen earlier, count as all of them
 */
export const wilson = (hits: number, cases: number): Rate | null => {
  if (cases <= 0) return null;
  const rate = Math.min(1, Math.max(0, hits / cases));
  const spread = (Z * Z) / cases;
  const middle = (rate + spread / 2) / (1 + spread);
  const half = Math.sqrt(spread * (rate * (1 - rate) + spread / 4)) / (1 + spread);
  // Of none and of all the one end is exactly 0 or 1, which the root misses by a rounding.
  return { rate, low: rate === 0 ? 0 : middle - half, high: rate === 1 ? 1 : middle + half };
};

/** What pins did together. */
export interface Sums {
  impressions: number;
  pinClicks: number;
  outboundClicks: number;
  saves: number;
}

export const NOTHING: Sums = { impressions: 0, pinClicks: 0, outboundClicks: 0, saves: 0 };

export const addSums = (a: Sums, b: Sums): Sums => ({
  impressions: a.impressions + b.impressions,
  pinClicks: a.pinClicks + b.pinClicks,
  outboundClicks: a.outboundClicks + b.outboundClicks,
  saves: a.saves + b.saves,
});

/** The same with what Pinterest counts as an engagement, which it tells of accounts alone. */
export interface AccountSums extends Sums {
  engagements: number;
}

export const NO_FIGURES: AccountSums = { ...NOTHING, engagements: 0 };

export const addFigures = (a: AccountSums, b: AccountSums): AccountSums => ({
  ...addSums(a, b),
  engagements: a.engagements + b.engagements,
});

/** A group before it is judged. */
export interface Group {
  key: string;
  label: string | null;
  pins: number;
  countedPins: number;
  sums: Sums;
}

/** A group with its rate of outbound clicks; `isUndecided`: seen too seldom to be judged. */
export interface JudgedGroup extends Group {
  click: Rate | null;
  isUndecided: boolean;
}

const judge = (group: Group): JudgedGroup => ({
  ...group,
  click: wilson(group.sums.outboundClicks, group.sums.impressions),
  isUndecided: group.sums.impressions < IMPRESSIONS_MIN,
});

const compare = (a: JudgedGroup, b: JudgedGroup): number => {
  if (a.isUndecided !== b.isUndecided) return a.isUndecided ? 1 : -1;
  const byRate = a.isUndecided ? 0 : (b.click?.low ?? 0) - (a.click?.low ?? 0);
  return byRate || b.sums.impressions - a.sums.impressions || b.pins - a.pins || (a.key < b.key ? -1 : 1);
};

/** The best first, by the lower end of the interval: what did well by chance stands below what did well often. */
export const rank = (groups: readonly Group[]): JudgedGroup[] => groups.map(judge).toSorted(compare);

/** How often pins were seen, and how often a link of theirs was clicked. */
export type Seen = Pick<Sums, "impressions" | "outboundClicks">;

/** How often luck alone may make a winner of whoever is in front, over all that are judged. */
const LUCK = 0.025;

/** The natural logarithm of n!, by the beginning of Stirling's series. */
const logFactorial = (n: number): number =>
  n < 1 ? 0 : n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);

/** How likely `hits` or more of `cases` are where each is one with this share; only asked for more hits than expected. */
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

/**
 * Whether pins are clicked more often than others, and not by luck: the exact test of how their clicks fall on what was
 * seen, which few clicks do not deceive.
 * @param judged in how many comparisons luck had its chance: each of them must be that much clearer
 */
export const isAbove = (one: Seen, other: Seen, judged: number): boolean => {
  const seen = one.impressions + other.impressions;
  const clicks = one.outboundClicks + other.outboundClicks;
  const share = one.impressions / seen;
  if (one.impressions <= 0 || other.impressions <= 0 || one.outboundClicks <= clicks * share) return false;
  return tailOf(one.outboundClicks, clicks, share) <= LUCK / Math.max(1, judged);
};

/** All pins but these. */
export const others = (all: Seen, own: Seen): Seen => ({
  impressions: all.impressions - own.impressions,
  outboundClicks: all.outboundClicks - own.outboundClicks,
});

/**
 * How sure it is that the first of judged groups is the best: surely above all other pins together, and level with how
 * many of the groups, since its lead over them may be luck.
 * @param judged the groups, the best first; `count`: how many there are where these are not all
 */
export const standOf = (
  judged: readonly Seen[],
  all: Seen,
  count = judged.length,
): { isSure: boolean; level: number } => {
  const [best, ...rest] = judged;
  if (!best) return { isSure: false, level: 0 };
  return {
    isSure: isAbove(best, others(all, best), count),
    level: rest.filter((group) => !isAbove(best, group, count)).length,
  };
};

/** The fetching of an account's figures, as far as it shows. */
interface Gathering {
  wakeAt: Date | null;
  resumesAt: Date | null;
  problemText: string | null;
}

/**
 * How far the fetching is: `lost` until the account is connected again, whatever a run still says; `held` until
 * somebody does something, `waiting` until a moment that is known.
 */
export const stateOfGather = (
  gather: Gathering | null,
  { hours, now, isConnected }: { hours: number; now: Date; isConnected: boolean },
): "off" | "lost" | "idle" | "held" | "waiting" | "working" => {
  if (hours === 0) return "off";
  if (!isConnected) return "lost";
  if (!gather?.wakeAt) return gather?.problemText ? "held" : "idle";
  return gather.resumesAt !== null && gather.resumesAt > now ? "waiting" : "working";
};

const [MONDAY, TUESDAY] = [1, 2];

/**
 * Whether it is a day in a zone on which a week is told of: its Monday, or the Tuesday after, for what a Monday did not
 * bring. `week` is the Monday, `hour` what the zone's clock shows; null on other days.
 */
export const tellingDayIn = (timeZone: string, now: Date): { week: string; hour: number } | null => {
  const { date, time } = wallTimeOf(now, timeZone);
  const weekday = new Date(`${date}T00:00:00.000Z`).getUTCDay();
  if (weekday !== MONDAY && weekday !== TUESDAY) return null;
  return { week: shiftDay(date, MONDAY - weekday), hour: Number(time.slice(0, 2)) };
};
