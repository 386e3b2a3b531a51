/** A parsed five-field schedule. */
export interface CronSchedule {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  /** Whether the schedule runs on a day. Months count from 1, weekdays from 0 for Sunday. */
  isDay(day: { day: number; month: number; weekday: number }): boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Longer than the longest gap between two 29ths of February, across a century. */
const HORIZON_DAYS = 366 * 9;

/**
 * Parses minute, hour, day of month, month and day of week in UTC: numbers with lists, ranges and steps. As in every
 * cron, a day matches if either day field matches when both are restricted.
 * @throws Error with a one-sentence message.
 */
export function parseCron(text: string): CronSchedule {
  const fields = text.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday) {
    throw new Error(`cron "${text}" has not exactly five fields`);
  }
  const days = readField(day, 1, 31);
  const months = readField(month, 1, 12);
  const weekdays = new Set([...readField(weekday, 0, 7)].map((number) => number % 7));
  const anyOf = !day.startsWith("*") && !weekday.startsWith("*");
  return {
    minutes: readField(minute, 0, 59),
    hours: readField(hour, 0, 23),
    isDay: (at) => {
      const isDate = days.has(at.day);
      const isWeekday = weekdays.has(at.weekday);
      return months.has(at.month) && (anyOf ? isDate || isWeekday : isDate && isWeekday);
    },
  };
}

/** The first tick after `afterMs`, in milliseconds; undefined for a date that does not exist (February 31). */
export function nextTickMs(schedule: CronSchedule, afterMs: number): number | undefined {
  let at = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
  const end = at + HORIZON_DAYS * DAY_MS;
  while (at < end) {
    const date = new Date(at);
    const [minute, hour] = [date.getUTCMinutes(), date.getUTCHours()];
    const day = { day: date.getUTCDate(), month: date.getUTCMonth() + 1, weekday: date.getUTCDay() };
    const toFullHour = HOUR_MS - minute * MINUTE_MS;
    if (!schedule.isDay(day)) at += toFullHour + (23 - hour) * HOUR_MS;
    else if (!schedule.hours.has(hour)) at += toFullHour;
    else if (!schedule.minutes.has(minute)) at += MINUTE_MS;
    else return at;
  }
  return undefined;
}

/** The latest tick after `afterMs` and up to `nowMs`: of several missed ticks, only this one counts. */
export function latestTickMs(schedule: CronSchedule, afterMs: number, nowMs: number): number | undefined {
  let latest: number | undefined;
  for (let tick = nextTickMs(schedule, afterMs); tick !== undefined && tick <= nowMs; ) {
    latest = tick;
    tick = nextTickMs(schedule, tick);
  }
  return latest;
}

function readField(text: string, low: number, high: number): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [match, every, first, last, step] = /^(?:(\*)|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part) ?? [];
    const from = every ? low : Number(first);
    const to = every || (last === undefined && step !== undefined) ? high : Number(last ?? first);
    const by = Number(step ?? 1);
    if (match === undefined || from < low || to > high || from > to || by < 1) {
      throw new Error(`cron field "${text}" is not a list, range or step within ${low}-${high}`);
    }
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}
