/** What a clock on the wall shows: month from 1, weekday from 0 for Sunday. */
export interface WallTime {
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
export function timeZoneOf(name: string | undefined): string | undefined {
  if (name === undefined || name === "UTC") return undefined;
  try {
    clockOf(name);
  } catch {
    throw new Error(`cron names the time zone "${name}", which there is not`);
  }
  return name;
}

/** What the clocks of a zone show at a moment; undefined is UTC. */
export function partsIn(timeZone: string | undefined, atMs: number): WallTime {
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
