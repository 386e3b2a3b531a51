import type { Duration, Period } from "./model.ts";

const DAY_MS = 86_400_000;

/** The period that follows `endsAt`, counted in whole cycles from the first billing so that its day never drifts. */
export function periodAfter(anchor: string, { frequency }: Duration, endsAt: string): Period {
  let count = frequency;
  while (addMonths(new Date(anchor), count).getTime() <= Date.parse(endsAt)) count += frequency;
  return { starts_at: endsAt, ends_at: withMicrosOf(anchor, addMonths(new Date(anchor), count)) };
}

/** Whole days of a period that are left at `at`, the running one counted in, and all its days. */
export function daysLeft({ starts_at, ends_at }: Period, at: Date): { days: number; of: number } {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)];
  const of = Math.max(1, Math.round((end - start) / DAY_MS));
  const gone = Math.floor((at.getTime() - start) / DAY_MS);
  return { days: Math.min(of, Math.max(0, of - gone)), of };
}

/** A moment plus some days. */
export function addDays(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}

const DAY = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** A day in full. The pages know no visitor whose time zone they could use, so it is UTC's. */
export function formatDay(iso: string | null): string {
  return iso === null ? "" : DAY.format(new Date(iso));
}

/** A day that a month lacks becomes its last. */
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
