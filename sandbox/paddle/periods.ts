import type { Duration, Period } from "./model.ts";

const DAY_MS = 86_400_000;

/** The period after `endsAt`, in whole cycles from the first billing date so that its day never drifts. */
export function periodAfter(anchor: string, { frequency }: Duration, endsAt: string): Period {
  let count = frequency;
  while (addMonths(new Date(anchor), count).getTime() <= Date.parse(endsAt)) count += frequency;
  return { starts_at: endsAt, ends_at: withMicrosOf(anchor, addMonths(new Date(anchor), count)) };
}

/** Days left of a period at `at`, including the current day, and its total days. */
export function daysLeft({ starts_at, ends_at }: Period, at: Date): { days: number; of: number } {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  const of = Math.max(1, Math.round((end - start) / DAY_MS));
  const elapsed = Math.floor((at.getTime() - start) / DAY_MS);
  return { days: Math.min(of, Math.max(0, of - elapsed)), of };
}

export function addDays(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}

const DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** A full date. The pages don't know the visitor's time zone, so they use UTC. */
export function formatDay(iso: string | null): string {
  return iso === null ? "" : DAY.format(new Date(iso));
}

/** Uses the last day of a month that is too short. */
function addMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(anchor.getUTCDate(), last));
  return moved;
}

function withMicrosOf(given: string, at: Date): string {
  return `${at.toISOString().slice(0, -1)}${/\.\d{3}(\d{3})Z$/.exec(given)?.[1] ?? "000"}Z`;
}
