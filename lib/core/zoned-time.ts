/** Local date and time such as `2026-11-22` and `15:04`, as in HTML inputs. */
export interface LocalTime {
  date: string;
  time: string;
}

export interface ResolvedTime {
  at: Date;
  /** `skipped`: the time does not exist, and `at` is moved by the clock change; `repeated`: `at` is the first one. */
  clock: "plain" | "skipped" | "repeated";
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

export const localTimeOf = (at: Date, timeZone: string): LocalTime => {
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

export interface OffsetStep {
  since: Date;
  offsetMs: number;
}

const WEEK_MS = 7 * DAY_MS;

/** The first minute of the week from which the offset equals the one at the week's end. */
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

/** Assumes at most one change per week. For conversions in a database, whose own zone data may differ. */
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

const inUtc = ({ date, time }: LocalTime): number | null => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d{2}:\d{2}$/.test(time)) return null;
  const at = Date.parse(`${date}T${time}:00.000Z`);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date ? null : at;
};

/** A zone's offset from UTC at an instant, in milliseconds; whole minutes. */
export const zoneOffsetMs = (at: Date, timeZone: string): number => {
  const localTime = inUtc(localTimeOf(at, timeZone)) ?? 0;
  return localTime - Math.floor(at.getTime() / 60_000) * 60_000;
};

/** The instant of a local time in a zone; null when it is not a valid date and time. */
export const instantOf = (localTime: LocalTime, timeZone: string): ResolvedTime | null => {
  const utc = inUtc(localTime);
  if (utc === null) return null;
  // Clocks change at most once in two days, so only these two offsets are possible.
  const [before, after] = [-DAY_MS, DAY_MS].map((ms) => utc - zoneOffsetMs(new Date(utc + ms), timeZone));
  const shown = [...new Set([before ?? utc, after ?? utc])]
    .filter((ms) => ms + zoneOffsetMs(new Date(ms), timeZone) === utc)
    .toSorted((a, b) => a - b);
  const [first] = shown;
  if (first === undefined) return { at: new Date(before ?? utc), clock: "skipped" };
  return { at: new Date(first), clock: shown.length > 1 ? "repeated" : "plain" };
};

/** `repeated`: the local time occurs twice. `skipped`: the local time `missing` doesn't exist and resolves to this one. */
type ClockChange = { kind: "repeated"; isFirst: boolean } | { kind: "skipped"; missing: LocalTime };

/** What a clock change does to the local time of an instant; null for nearly all. */
export const clockChangeAt = (at: Date, timeZone: string): ClockChange | null => {
  const offsetAt = (ms: number) => zoneOffsetMs(new Date(at.getTime() + ms), timeZone);
  const [before, now, after] = [offsetAt(-DAY_MS), offsetAt(0), offsetAt(DAY_MS)];
  if (before === now && after === now) return null;
  const resolved = instantOf(localTimeOf(at, timeZone), timeZone);
  if (resolved?.clock === "repeated") {
    return { kind: "repeated", isFirst: at.getTime() - resolved.at.getTime() < 60_000 };
  }
  const missing = localTimeOf(new Date(at.getTime() + before), "UTC");
  return instantOf(missing, timeZone)?.clock === "skipped" ? { kind: "skipped", missing } : null;
};
