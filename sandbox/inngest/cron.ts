/** What a clock on the wall shows: month from 1, weekday from 0 for Sunday. */
interface WallTime {
  minute: number;
  hour: number;
  day: number;
  month: number;
  weekday: number;
}

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const clocks = new Map<string, Intl.DateTimeFormat>();

/**
 * @returns the zone, or undefined for UTC.
 * @throws Error with one sentence for a name that is none.
 */
function timeZoneOf(name: string | undefined): string | undefined {
  if (name === undefined || name === "UTC") return undefined;
  try {
    clockOf(name);
  } catch {
    throw new Error(`cron names the time zone "${name}", which there is not`);
  }
  return name;
}

/** What the clocks of a zone show at a moment; undefined is UTC. */
function partsIn(timeZone: string | undefined, atMs: number): WallTime {
  const date = new Date(atMs);
  if (timeZone === undefined) {
    return {
      ...{ minute: date.getUTCMinutes(), hour: date.getUTCHours(), day: date.getUTCDate() },
      ...{ month: date.getUTCMonth() + 1, weekday: date.getUTCDay() },
    };
  }
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  );
  const number = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
  return {
    ...{ minute: number("minute"), hour: number("hour"), day: number("day"), month: number("month") },
    weekday: WEEKDAYS.indexOf(parts.get("weekday") ?? ""),
  };
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", weekday: "short", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric" },
  } as const);
  clocks.set(timeZone, clock);
  return clock;
}

/** A parsed five-field schedule. */
export interface CronSchedule {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  /** Whether it is due on a day: month from 1, weekday from 0 for Sunday. */
  isDay(day: { day: number; month: number; weekday: number }): boolean;
  /** An IANA name; undefined is UTC. */
  timeZone: string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Longer than the gap between two 29ths of February across a century. */
const HORIZON_DAYS = 366 * 9;
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const CRON_WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/**
 * Parses minute, hour, day of month, month, day of week, with lists, ranges, steps and English names, and before them
 * an optional `TZ=Europe/Paris`. As in every cron, a day matches either day field when both are restricted.
 * @throws Error with one sentence.
 */
export function parseCron(text: string): CronSchedule {
  const [, zone, rest = ""] = /^\s*(?:(?:CRON_)?TZ=(\S+)\s+)?(.*)$/.exec(text) ?? [];
  const fields = rest.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday) {
    throw new Error(`cron "${text}" has not exactly five fields`);
  }
  const days = readField(day, 1, 31, []);
  const months = readField(month, 1, 12, ["", ...MONTHS]);
  const weekdays = new Set([...readField(weekday, 0, 7, CRON_WEEKDAYS)].map((number) => number % 7));
  const anyOf = !day.startsWith("*") && !weekday.startsWith("*");
  return {
    timeZone: timeZoneOf(zone),
    minutes: readField(minute, 0, 59, []),
    hours: readField(hour, 0, 23, []),
    isDay: (at) => {
      const isDate = days.has(at.day);
      const isWeekday = weekdays.has(at.weekday);
      return months.has(at.month) && (anyOf ? isDate || isWeekday : isDate && isWeekday);
    },
  };
}

/**
 * The first tick after `afterMs`, in milliseconds; undefined for a date that never comes (31 February). The clock on
 * the wall decides: a time that a zone skips in spring has no tick that day, one that comes twice in autumn has two.
 */
export function nextTickMs(schedule: CronSchedule, afterMs: number): number | undefined {
  let at = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  const end = at + HORIZON_DAYS * DAY_MS;
  while (at < end) {
    const wall = partsIn(schedule.timeZone, at);
    const toFullHour = HOUR_MS - wall.minute * MINUTE_MS;
    // Of a day that does not match, its last hours are gone through one by one: the clock may be changed in them.
    if (!schedule.isDay(wall)) at += toFullHour + Math.max(20 - wall.hour, 0) * HOUR_MS;
    else if (!schedule.hours.has(wall.hour)) at += toFullHour;
    else if (!schedule.minutes.has(wall.minute)) at += MINUTE_MS;
    else return at;
  }
  return undefined;
}

/** The newest tick after `afterMs` and not after `nowMs`: of several that were missed, only this one counts. */
export function latestTickMs(schedule: CronSchedule, afterMs: number, nowMs: number): number | undefined {
  let latest: number | undefined;
  for (let tick = nextTickMs(schedule, afterMs); tick !== undefined && tick <= nowMs; ) {
    latest = tick;
    tick = nextTickMs(schedule, tick);
  }
  return latest;
}

function readField(text: string, low: number, high: number, names: readonly string[]): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step = "1"] = /^(\*|\w+(?:-\w+)?)(?:\/(\d+))?$/.exec(part) ?? [];
    const [first = "", last = part.includes("/") ? String(high) : first] =
      range === "*" ? [`${low}`, `${high}`] : range.split("-");
    const from = readNumber(first, names);
    const to = readNumber(last, names);
    const by = Number(step);
    if (!(from >= low && to <= high && from <= to && Number.isInteger(by) && by > 0)) {
      throw new Error(`cron field "${text}" is not a list, range or step within ${low}-${high}`);
    }
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

function readNumber(text: string, names: readonly string[]): number {
  if (/^\d+$/.test(text)) return Number(text);
  const index = text === "" ? -1 : names.indexOf(text.toUpperCase());
  return index < 0 ? Number.NaN : index;
}
