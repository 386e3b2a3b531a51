/** What calendar and clock show: `2026-11-22` and `15:04`, as browsers' own fields have them. */
export interface WallTime {
  date: string;
  time: string;
}

/** A moment that somebody named by calendar and clock. On nights when clocks are set, some times are missing or come twice. */
export interface NamedMoment {
  at: Date;
  /** `skipped`: it never comes, and `at` is as much later as the clock is set on; `twice`: `at` is the first. */
  clock: "plain" | "skipped" | "twice";
}

const DAY_MS = 24 * 60 * 60 * 1_000;

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("en-CA", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
  formats.set(timeZone, format);
  return format;
};

/** What calendar and clock show in a zone at a moment. */
export const wallTimeOf = (at: Date, timeZone: string): WallTime => {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return {
    date: `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`,
    time: `${part("hour")}:${part("minute")}`,
  };
};

/** From when on a zone's clock is how far ahead of UTC. */
export interface OffsetStep {
  since: Date;
  offsetMs: number;
}

const WEEK_MS = 7 * DAY_MS;

/** The first whole minute of a week at which the clock stands as it does at the week's end. */
const stepWithin = (from: number, to: number, timeZone: string): number => {
  const offsetMs = zoneOffsetMs(new Date(to), timeZone);
  let [before, since] = [from, to];
  while (since - before > 60_000) {
    const middle = Math.floor((before + since) / 120_000) * 60_000;
    if (zoneOffsetMs(new Date(middle), timeZone) === offsetMs) since = middle;
    else before = middle;
  }
  return since;
};

/**
 * How a zone's clock was set between two moments, the first step at `from`: for whoever has many moments to place, a
 * database for instance, whose own rules of zones may be others. Clocks are set at most once in a week.
 */
export const offsetSteps = (timeZone: string, from: Date, to: Date): OffsetStep[] => {
  const begin = Math.floor(from.getTime() / 60_000) * 60_000;
  const steps: OffsetStep[] = [{ since: new Date(begin), offsetMs: zoneOffsetMs(new Date(begin), timeZone) }];
  for (let week = begin; week < to.getTime(); week += WEEK_MS) {
    const [end, last] = [week + WEEK_MS, steps.at(-1)];
    const offsetMs = zoneOffsetMs(new Date(end), timeZone);
    if (last?.offsetMs !== offsetMs) steps.push({ since: new Date(stepWithin(week, end, timeZone)), offsetMs });
  }
  return steps;
};

/** The moment at which calendar and clock show this in UTC; null when no calendar does. */
const inUtc = ({ date, time }: WallTime): number | null => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d{2}:\d{2}$/.test(time)) return null;
  const at = Date.parse(`${date}T${time}:00.000Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date ? null : at;
};

/** How far a zone's clock is ahead of UTC at a moment, in milliseconds; whole minutes. */
export const zoneOffsetMs = (at: Date, timeZone: string): number => {
  const wall = inUtc(wallTimeOf(at, timeZone)) ?? 0;
  return wall - Math.floor(at.getTime() / 60_000) * 60_000;
};

/** The moment at which calendar and clock show this in a zone; null for what is no time. */
export const momentOf = (wall: WallTime, timeZone: string): NamedMoment | null => {
  const utc = inUtc(wall);
  if (utc === null) return null;
  // Clocks are set at most once in two days, so these are the only two offsets that can be meant.
  const [before, after] = [-DAY_MS, DAY_MS].map((ms) => utc - zoneOffsetMs(new Date(utc + ms), timeZone));
  const shown = [...new Set([before ?? utc, after ?? utc])]
    .filter((ms) => ms + zoneOffsetMs(new Date(ms), timeZone) === utc)
    .toSorted((a, b) => a - b);
  const [first] = shown;
  if (first === undefined) return { at: new Date(before ?? utc), clock: "skipped" };
  return { at: new Date(first), clock: shown.length > 1 ? "twice" : "plain" };
};
