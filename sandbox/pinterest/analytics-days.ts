import type { Context } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import type { StandInEnv } from "../kit/serve.ts";
import { DAY_MS, type DayFacts, sumDays, toMetrics } from "./analytics-numbers.ts";
import type { Pinterest } from "./context.ts";
import { REFUSALS, type Refusal, RefusedError } from "./refusals.ts";

const MOST_DAYS = 90;
/** Days until a day's numbers are ready: today and yesterday are not. */
const PROCESSING_DAYS = 2;

/** Days of a report, oldest first, as `YYYY-MM-DD` in UTC. */
export interface DayRange {
  days: string[];
  /** The first day that is not ready yet. */
  readyBefore: string;
}

/** One day of a report. */
export interface ReportDay {
  date: string;
  data_status: string;
  metrics: Record<string, number>;
}

/**
 * Reads `start_date` and `end_date`: not in the wrong order, not in the future, at most 90 days back and long.
 * Pinterest's own sandbox has no analytics at all.
 * @throws RefusedError 403/29 in the sandbox, else `refusal`.
 */
export function readRange(pinterest: Pinterest, c: Context<StandInEnv>, refusal: Refusal): DayRange {
  if (pinterest.settings.environment === "sandbox") throw new RefusedError(REFUSALS.notPermitted);
  const { start_date = "", end_date = "" } = c.req.query();
  const today = dayBefore(pinterest, 0);
  const isUsable = start_date <= end_date && end_date <= today && start_date >= dayBefore(pinterest, MOST_DAYS);
  if (!isUsable) throw new RefusedError(refusal);
  const count = (Date.parse(end_date) - Date.parse(start_date)) / DAY_MS + 1;
  const days = Array.from({ length: count }, (_, index) => dayAfter(start_date, index));
  const readyBefore = isPlaying(c, "analytics-processing") ? start_date : dayBefore(pinterest, PROCESSING_DAYS - 1);
  return { days, readyBefore };
}

/** Daily metrics and their sum over the days that are ready. Days before `existsFrom` are marked as such. */
export function reportDays(
  { days, readyBefore }: DayRange,
  metrics: readonly string[],
  existsFrom: string,
  factsOf: (day: string) => DayFacts,
): { summary_metrics: Record<string, number>; daily_metrics: ReportDay[] } {
  const statusOf = (day: string) => {
    if (day < existsFrom) return "BEFORE_PIN_CREATED";
    return day < readyBefore ? "READY" : "PROCESSING";
  };
  const ready = days.filter((day) => statusOf(day) === "READY");
  return {
    summary_metrics: toMetrics(sumDays(ready.map(factsOf)), metrics),
    daily_metrics: days.map((date) => {
      const data_status = statusOf(date);
      return { date, data_status, metrics: data_status === "READY" ? toMetrics(factsOf(date), metrics) : {} };
    }),
  };
}

/** Every day from the first on that is ready by now, at most so many. */
export function daysSince(pinterest: Pinterest, first: string, most: number): string[] {
  const last = dayBefore(pinterest, PROCESSING_DAYS);
  const count = Math.min(most, Math.max(0, (Date.parse(last) - Date.parse(first)) / DAY_MS + 1));
  return Array.from({ length: count }, (_, index) => dayAfter(first, index));
}

function dayBefore({ clock }: Pinterest, days: number): string {
  return new Date(clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
