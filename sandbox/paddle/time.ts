import { randomInt } from "node:crypto";
import type { Duration, Period } from "./model.ts";

const DAY_MS = 86_400_000;

/** A moment as Paddle writes it, with microseconds. */
export function isoMicros(at: Date): string {
  return `${at.toISOString().slice(0, -1)}${String(randomInt(1_000)).padStart(3, "0")}Z`;
}

/** A moment with the microseconds of another. */
export function microsOf(given: string, at: Date): string {
  return `${at.toISOString().slice(0, -1)}${/\.\d{3}(\d{3})Z$/.exec(given)?.[1] ?? "000"}Z`;
}

/** The date that lies `count` billing cycles behind `anchor`; a day that a month lacks becomes its last. */
export function addCycles(anchor: Date, { interval, frequency }: Duration, count: number): Date {
  const steps = frequency * count;
  if (interval === "day") return new Date(anchor.getTime() + steps * DAY_MS);
  if (interval === "week") return new Date(anchor.getTime() + steps * 7 * DAY_MS);
  return addMonths(anchor, interval === "year" ? steps * 12 : steps);
}

/** The period that follows `endsAt`, counted in whole cycles from the first billing so that its day never drifts. */
export function periodAfter(anchor: string, cycle: Duration, endsAt: string): Period {
  const first = new Date(anchor);
  let count = 1;
  while (addCycles(first, cycle, count).getTime() <= Date.parse(endsAt)) count += 1;
  return { starts_at: endsAt, ends_at: microsOf(anchor, addCycles(first, cycle, count)) };
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

function addMonths(anchor: Date, months: number): Date {
  const moved = new Date(anchor);
  const day = moved.getUTCDate();
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(day, last));
  return moved;
}
