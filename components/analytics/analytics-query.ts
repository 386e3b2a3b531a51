import { AppError } from "#lib/core/errors.ts";
import { DIMENSIONS, type Dimension, METRICS, type Metric, SPANS } from "#lib/features/analytics/constants.ts";
import { checkRange, type DayRange, recentSpan, shiftDay } from "#lib/features/analytics/policy.ts";

/** A preset range, or custom days. */
export type Span = (typeof SPANS)[number] | "chosen";

/** What the screen shows, as kept in the URL. */
export interface AnalyticsQuery {
  span: Span;
  /** The custom days as written, possibly invalid; empty for preset ranges. */
  from: string;
  to: string;
  by: Dimension;
  /** The metric in the chart, and the one that sorts the top pins. */
  metric: Metric;
  top: Metric;
}

/** The search parameters of the page. */
export type AnalyticsParams = Partial<
  Record<"account" | "days" | "from" | "to" | "by" | "figure" | "top", string | string[]>
>;

const DEFAULT_SPAN = 30;
const DAY_CHARACTERS = 10;

const textOf = (value: string | string[] | undefined): string =>
  typeof value === "string" ? value.slice(0, DAY_CHARACTERS) : "";

/** Reads the search parameters; invalid values fall back to the defaults. */
export const readAnalyticsQuery = ({ days, from, to, by, figure, top }: AnalyticsParams): AnalyticsQuery => {
  const isChosen = textOf(from) !== "" || textOf(to) !== "";
  return {
    span: isChosen ? "chosen" : (SPANS.find((span) => String(span) === days) ?? DEFAULT_SPAN),
    from: textOf(from),
    to: textOf(to),
    by: DIMENSIONS.find((word) => word === by) ?? "keyword",
    metric: METRICS.find((word) => word === figure) ?? "impressions",
    top: METRICS.find((word) => word === top) ?? "impressions",
  };
};

/** The search parameters of a query; null for defaults, which are left out. */
export const writeAnalyticsQuery = ({
  span,
  from,
  to,
  by,
  metric,
  top,
}: AnalyticsQuery): Record<string, string | null> => {
  const isChosen = span === "chosen";
  return {
    days: isChosen || span === DEFAULT_SPAN ? null : String(span),
    from: isChosen && from ? from : null,
    to: isChosen && to ? to : null,
    by: by === "keyword" ? null : by,
    figure: metric === "impressions" ? null : metric,
    top: top === "impressions" ? null : top,
  };
};

/** The days that are shown. `problem`: why the custom days cannot be shown. */
export interface ShownDays extends DayRange {
  problem: { field: "from" | "to"; text: string } | null;
}

const CHOOSE = "Choose a date.";
const REVERSED = "The end date is before the start date.";
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Rejects dates that do not exist, such as 2026-02-31. */
const isDay = (text: string): boolean =>
  DAY.test(text) && !Number.isNaN(Date.parse(text)) && shiftDay(text, 0) === text;

const problemOf = ({ from, to }: Pick<AnalyticsQuery, "from" | "to">, now: Date): ShownDays["problem"] => {
  if (!isDay(from)) return { field: "from", text: CHOOSE };
  if (!isDay(to)) return { field: "to", text: CHOOSE };
  if (from > to) return { field: "to", text: REVERSED };
  try {
    checkRange({ firstDay: from, lastDay: to }, now);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { field: error.fields?.start_date ? "from" : "to", text: error.message };
  }
};

/** The days of a query. Invalid custom days fall back to the default range, with the reason. */
export const shownDays = (query: Pick<AnalyticsQuery, "span" | "from" | "to">, now: Date): ShownDays => {
  if (query.span !== "chosen") return { ...recentSpan(now, query.span), problem: null };
  const problem = problemOf(query, now);
  if (problem) return { ...recentSpan(now, DEFAULT_SPAN), problem };
  return { firstDay: query.from, lastDay: query.to, problem: null };
};

const callPath = (accountId: string, part: string, query: Record<string, string>): string =>
  `/api/users/pinterest/results/${encodeURIComponent(accountId)}/${part}?${new URLSearchParams(query)}`;

const daysIn = ({ firstDay, lastDay }: DayRange) => ({ start_date: firstDay, end_date: lastDay });

export const accountPath = (accountId: string, days: DayRange): string => callPath(accountId, "", daysIn(days));

export const topPinsPath = (accountId: string, days: DayRange, top: Metric): string =>
  callPath(accountId, "top-pins/", { ...daysIn(days), sort_by: top });

export const reportPath = (accountId: string, days: DayRange, by: Dimension): string =>
  callPath(accountId, "report/", { ...daysIn(days), by });
