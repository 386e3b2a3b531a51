import "server-only";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { offsetSteps } from "#lib/core/zoned-time.ts";

/** The days of a time zone, numbered. Instants are in milliseconds. */
interface LocalDays {
  dayOf(at: number): number;
  /** Minutes since local midnight. */
  minuteOf(at: number): number;
  /** When a local day and minute begin. A skipped time is moved by the clock change; of two, the first counts. */
  instantOf(day: number, minute: number): number;
  /** The first instant after `at` that shows this local minute, of a repeated hour too. */
  next(at: number, minute: number): number;
}

interface Step {
  since: number;
  offsetMs: number;
}

const stepsByYears = new Map<string, Step[]>();

/** Cached by whole years: finding a zone's clock changes takes longer than a small plan. */
const stepsOf = (timeZone: string, from: Date, to: Date): Step[] => {
  const [first, last] = [from.getUTCFullYear() - 1, to.getUTCFullYear() + 2];
  const key = `${timeZone} ${first} ${last}`;
  const known = stepsByYears.get(key);
  if (known) return known;
  const steps = offsetSteps(timeZone, new Date(Date.UTC(first, 0)), new Date(Date.UTC(last, 0)));
  const found = steps.map(({ since, offsetMs }) => ({ since: since.getTime(), offsetMs }));
  stepsByYears.set(key, found);
  return found;
};

/** For instants from a year before `from` to a year after `to`; a plan converts tens of thousands of them. */
export const localDays = (timeZone: string, from: Date, to: Date): LocalDays => {
  const steps = stepsOf(timeZone, from, to);
  const offsets = [...new Set(steps.map((step) => step.offsetMs))];
  let [since, until, offsetMs] = [0, 0, 0];
  /** Consecutive lookups are mostly in the same step, so the last one is kept. */
  const offsetAt = (at: number): number => {
    if (at >= since && at < until) return offsetMs;
    const next = steps.findIndex((step) => step.since > at);
    const index = next < 0 ? steps.length - 1 : Math.max(0, next - 1);
    since = index === 0 ? Number.NEGATIVE_INFINITY : (steps[index]?.since ?? 0);
    until = steps[index + 1]?.since ?? Number.POSITIVE_INFINITY;
    offsetMs = steps[index]?.offsetMs ?? 0;
    return offsetMs;
  };
  const dayOf = (at: number): number => Math.floor((at + offsetAt(at)) / DAY_MS);
  /** None when the clocks skip it, two when they repeat it. */
  const shownAt = (day: number, minute: number): number[] => {
    const local = day * DAY_MS + minute * MINUTE_MS;
    return offsets.map((offset) => local - offset).filter((at) => at + offsetAt(at) === local);
  };
  const instantOf = (day: number, minute: number): number => {
    const [shown, local] = [shownAt(day, minute), day * DAY_MS + minute * MINUTE_MS];
    return shown.length > 0 ? Math.min(...shown) : local - offsetAt(local - DAY_MS);
  };
  return {
    dayOf,
    minuteOf: (at) => {
      const local = at + offsetAt(at);
      return Math.floor((local - Math.floor(local / DAY_MS) * DAY_MS) / MINUTE_MS);
    },
    instantOf,
    next: (at, minute) => {
      const day = dayOf(at);
      const today = [instantOf(day, minute), ...shownAt(day, minute)].filter((shown) => shown > at);
      return today.length > 0 ? Math.min(...today) : instantOf(day + 1, minute);
    },
  };
};
