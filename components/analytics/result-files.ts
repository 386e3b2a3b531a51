import { type CsvCell, formatCount, toCsvText } from "#lib/core/text.ts";
import { METRICS } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { AccountResultsWire, ReportWire, ResultDayWire } from "#lib/features/analytics/schema.ts";
import { METRIC_NAMES } from "./result-words.ts";

/** What a day's state is called. */
export const DAY_STATES: Record<ResultDayWire["status"], string> = {
  ready: "Final",
  processing: "Pinterest still counts",
  unknown: "Pinterest told nothing",
};

/** A file's name with account and days: 'juniper-studio-results-by-keyword-2026-11-14-to-2026-11-20.csv'. */
export const fileName = (username: string, what: string, { firstDay, lastDay }: DayRange, ending: string): string => {
  const parts = [username, what].map((part) => part.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-"));
  return `${[...parts, firstDay, "to", lastDay].join("-").replaceAll(/-{2,}/g, "-").replace(/^-/, "")}.${ending}`;
};

/** The days of an account, one a line, as a table for spreadsheets. */
export const daysCsv = ({ days }: Pick<AccountResultsWire, "days">): string =>
  toCsvText([
    ["Day (UTC)", "State", ...METRICS.map((metric) => METRIC_NAMES[metric])],
    ...days.map(({ date, status, figures }): CsvCell[] => [
      date,
      DAY_STATES[status],
      ...METRICS.map((metric) => figures?.[metric] ?? null),
    ]),
  ]);

/**
 * A report as a table for spreadsheets; rates are from 0 to 1.
 * @param name of the first column
 * @param labels of the rows, in their order
 */
export const reportCsv = (
  { rows, more }: Pick<ReportWire, "rows" | "more">,
  name: string,
  labels: readonly string[],
): string =>
  toCsvText([
    [
      name,
      "Pins",
      "Pins with figures",
      "Impressions",
      "Pin clicks",
      "Outbound clicks",
      "Saves",
      "Click rate",
      "Lowest likely",
      "Highest likely",
      "Judged",
    ],
    ...rows.map((row, at): CsvCell[] => [
      labels[at] ?? row.key,
      row.pins,
      row.counted_pins,
      row.figures.impressions,
      row.figures.pin_clicks,
      row.figures.outbound_clicks,
      row.figures.saves,
      row.click_rate,
      row.click_rate_low,
      row.click_rate_high,
      row.counted_pins > 0 ? (row.is_undecided ? "Too early to tell" : "Yes") : "No figures yet",
    ]),
    ...(more > 0 ? [[`${formatCount(more)} more that are ranked lower are not in this file`]] : []),
  ]);
