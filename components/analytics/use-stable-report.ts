"use client";

import { type FocusEvent, type HTMLAttributes, useState } from "react";
import type { ReportWire } from "#lib/features/analytics/schema.ts";

type Listeners = Pick<HTMLAttributes<HTMLElement>, "onPointerEnter" | "onPointerLeave" | "onFocus" | "onBlur">;

const areAlike = (one: ReportWire, other: ReportWire): boolean =>
  one.by === other.by && one.start_date === other.start_date && one.end_date === other.end_date;

/** The newest rows in the order of an earlier report; new rows come last. */
export const keepOrderOf = (report: ReportWire, earlier: ReportWire): ReportWire => {
  const positions = new Map(earlier.rows.map(({ key }, place) => [key, place]));
  const positionOf = (key: string): number => positions.get(key) ?? earlier.rows.length;
  return { ...report, rows: report.rows.toSorted((a, b) => positionOf(a.key) - positionOf(b.key)) };
};

/**
 * Keeps rows and headline in place while the user points at or focuses the section, so that a row does not move right
 * before a click. Other days or groups show at once.
 * @returns the reports for table and headline, and listeners for the element around both
 */
export const useStableReport = (
  report: ReportWire | null,
): { table: ReportWire | null; headline: ReportWire | null; listeners: Listeners } => {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [shown, setShown] = useState(report);
  const isReading = isPointed || isFocused;
  const headline = isReading && report && shown && areAlike(report, shown) ? shown : report;
  if (headline !== shown) setShown(headline);
  return {
    table: report && headline && report !== headline ? keepOrderOf(report, headline) : report,
    headline,
    listeners: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      // Focus left by a mouse click does not mean that the user is reading.
      onFocus: ({ target }: FocusEvent) => setFocused(target.matches(":focus-visible")),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
        setFocused((before) => before && currentTarget.contains(relatedTarget)),
    },
  };
};
