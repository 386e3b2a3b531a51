import { type CsvCell, formatCount, toCsvText } from "#lib/core/text.ts";
import { METRICS } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { AccountAnalyticsWire, AnalyticsDayWire, ReportWire } from "#lib/features/analytics/schema.ts";
import { METRIC_NAMES } from "./analytics-text.ts";

export const DAY_STATES: Record<AnalyticsDayWire["status"], string> = {
  ready: "Final",
  processing: "Pinterest is still counting",
  unknown: "No data from Pinterest",
};

/** Builds a file name: 'juniper-studio-results-by-keyword-2026-11-14-to-2026-11-20.csv'. */
export const fileName = (username: string, what: string, { firstDay, lastDay }: DayRange, ending: string): string => {
  const parts = [username, what].map((part) => part.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-"));
  return `${[...parts, firstDay, "to", lastDay].join("-").replaceAll(/-{2,}/g, "-").replace(/^-/, "")}.${ending}`;
};

/** An account's metrics as CSV, one day per line. */
export const daysCsv = ({ days }: Pick<AccountAnalyticsWire, "days">): string =>
  toCsvText([
    ["Day (UTC)", "Status", ...METRICS.map((metric) => METRIC_NAMES[metric])],
    ...days.map(({ date, status, figures }): CsvCell[] => [
      date,
      DAY_STATES[status],
      ...METRICS.map((metric) => figures?.[metric] ?? null),
    ]),
  ]);

/**
 * A report as CSV; rates are from 0 to 1.
 * @param name header of the first column
 * @param labels labels of the rows, in order
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
      "Pins with metrics",
      "Impressions",
      "Pin clicks",
      "Outbound clicks",
      "Saves",
      "Click rate",
      "Click rate (low estimate)",
      "Click rate (high estimate)",
      "Enough data",
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
      row.counted_pins > 0 ? (row.is_undecided ? "Too early to tell" : "Yes") : "No metrics yet",
    ]),
    ...(more > 0 ? [[`${formatCount(more)} lower-ranked rows are not in this file`]] : []),
  ]);
