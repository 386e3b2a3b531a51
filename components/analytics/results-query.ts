import { AppError } from "#lib/core/errors.ts";
import { DIMENSIONS, type Dimension, METRICS, type Metric, SPANS } from "#lib/features/analytics/constants.ts";
import { checkRange, type DayRange, shiftDay, spanUpTo } from "#lib/features/analytics/policy.ts";

/** One of the spans that are offered, or days that somebody chose. */
export type Span = (typeof SPANS)[number] | "chosen";

/** What the screen shows of an account, as its address says it. */
export interface ResultsQuery {
  span: Span;
  /** The chosen days as they were written: they may be nonsense. Empty for the offered spans. */
  from: string;
  to: string;
  by: Dimension;
  /** The figure in the chart, and the one by which the top pins are found. */
  figure: Metric;
  top: Metric;
}

/** The query of an address, name by name, as a page gets it. */
export type ResultsAddress = Partial<
  Record<"account" | "days" | "from" | "to" | "by" | "figure" | "top", string | string[]>
>;

const DEFAULT_SPAN = 30;
const DAY_CHARACTERS = 10;

const textOf = (value: string | string[] | undefined): string =>
  typeof value === "string" ? value.slice(0, DAY_CHARACTERS) : "";

/** What an address asks for; whatever it cannot ask for is as it goes without saying. */
export const readResultsQuery = ({ days, from, to, by, figure, top }: ResultsAddress): ResultsQuery => {
  const isChosen = textOf(from) !== "" || textOf(to) !== "";
  return {
    span: isChosen ? "chosen" : (SPANS.find((span) => String(span) === days) ?? DEFAULT_SPAN),
    from: textOf(from),
    to: textOf(to),
    by: DIMENSIONS.find((word) => word === by) ?? "keyword",
    figure: METRICS.find((word) => word === figure) ?? "impressions",
    top: METRICS.find((word) => word === top) ?? "impressions",
  };
};

/** What an address says of a query; null is left out, since it goes without saying. */
export const writeResultsQuery = ({ span, from, to, by, figure, top }: ResultsQuery): Record<string, string | null> => {
  const isChosen = span === "chosen";
  return {
    days: isChosen || span === DEFAULT_SPAN ? null : String(span),
    from: isChosen && from ? from : null,
    to: isChosen && to ? to : null,
    by: by === "keyword" ? null : by,
    figure: figure === "impressions" ? null : figure,
    top: top === "impressions" ? null : top,
  };
};

/** Which days are shown; `problem`: why they are not the chosen ones. */
export interface ShownDays extends DayRange {
  problem: { field: "from" | "to"; text: string } | null;
}

const CHOOSE = "Choose a day.";
const REVERSED = "The last day comes before the first.";
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Some texts look like a day that no calendar has. */
const isDay = (text: string): boolean =>
  DAY.test(text) && !Number.isNaN(Date.parse(text)) && shiftDay(text, 0) === text;

const problemOf = ({ from, to }: Pick<ResultsQuery, "from" | "to">, now: Date): ShownDays["problem"] => {
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

/** The days that a query asks for; days that Pinterest does not tell of give way to the usual span, and say why. */
export const shownDays = (query: Pick<ResultsQuery, "span" | "from" | "to">, now: Date): ShownDays => {
  if (query.span !== "chosen") return { ...spanUpTo(now, query.span), problem: null };
  const problem = problemOf(query, now);
  if (problem) return { ...spanUpTo(now, DEFAULT_SPAN), problem };
  return { firstDay: query.from, lastDay: query.to, problem: null };
};

const callPath = (accountId: string, part: string, query: Record<string, string>): string =>
  `/api/users/pinterest/results/${encodeURIComponent(accountId)}/${part}?${new URLSearchParams(query)}`;

const daysIn = ({ firstDay, lastDay }: DayRange) => ({ start_date: firstDay, end_date: lastDay });

/** Path of the documented call for an account's own figures. */
export const accountPath = (accountId: string, days: DayRange): string => callPath(accountId, "", daysIn(days));

/** Path of the documented call for its best pins. */
export const topPinsPath = (accountId: string, days: DayRange, top: Metric): string =>
  callPath(accountId, "top-pins/", { ...daysIn(days), sort_by: top });

/** Path of the documented call for pins by what they were made of. */
export const reportPath = (accountId: string, days: DayRange, by: Dimension): string =>
  callPath(accountId, "report/", { ...daysIn(days), by });
