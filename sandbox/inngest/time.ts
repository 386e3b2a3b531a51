const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const UNIT_MS: Record<string, number> = { w: 7 * DAY_MS, d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: 1_000 };
const DURATION = /^(?:\d+[wdhms])*$/;

/** When a sleep ends: the SDK writes a duration ("1d2h", "" for none) or an ISO time; undefined for other texts. */
export function sleepEndMs(text: string, nowMs: number): number | undefined {
  if (!DURATION.test(text)) return isoMs(text);
  let total = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)([wdhms])/g)) total += Number(count) * (UNIT_MS[unit] ?? 0);
  return nowMs + total;
}

export interface RetryTiming {
  /** Maximum random addition to a delay. */
  jitterSeconds: number;
  /** Multiplies delay and jitter, but not a delay that the app requested. */
  scale: number;
}

/** Seconds before the 2nd, 3rd … attempt, as on the real server; the last entry repeats. */
const DELAYS_SECONDS = [15, 30, 60, 120, 300, 600, 1200, 2400, 3600, 7200];

const MIN_RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = DAY_MS;

/** Milliseconds until the next attempt, after attempt `attempt` (from 0) failed. `retryAfter` is the app's header. */
export function retryDelayMs(
  attempt: number,
  retryAfter: string | undefined,
  { jitterSeconds, scale }: RetryTiming,
  nowMs: number,
): number {
  const requestedMs = retryAfter === undefined ? undefined : retryAfterMs(retryAfter, nowMs);
  if (requestedMs !== undefined) return Math.min(Math.max(requestedMs, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
  const delay = DELAYS_SECONDS[Math.min(attempt, DELAYS_SECONDS.length - 1)] ?? 0;
  return (delay + Math.random() * jitterSeconds) * scale * 1000;
}

/** Milliseconds before a call that never reached the SDK is repeated: 250, 500 … up to `maxMs`. */
export function reconnectDelayMs(failures: number, maxMs = 5_000): number {
  return Math.min(250 * 2 ** Math.min(failures, 10), maxMs);
}

function retryAfterMs(header: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = isoMs(header);
  return at === undefined ? undefined : at - nowMs;
}

function isoMs(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

export interface CronSchedule {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  /** Whether the schedule runs on a day. Months count from 1, weekdays from 0 for Sunday. */
  isDay(day: { day: number; month: number; weekday: number }): boolean;
}

/** Longer than the longest gap between two 29ths of February, across a century. */
const HORIZON_DAYS = 366 * 9;

/**
 * Parses a cron of five fields in UTC. As in every cron, a day matches if either day field does when both are
 * restricted. @throws Error with a one-sentence message.
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
