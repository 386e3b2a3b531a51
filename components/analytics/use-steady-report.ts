"use client";

import { type FocusEvent, type HTMLAttributes, useState } from "react";
import type { ReportWire } from "#lib/features/analytics/schema.ts";

type Listeners = Pick<HTMLAttributes<HTMLElement>, "onPointerEnter" | "onPointerLeave" | "onFocus" | "onBlur">;

const areAlike = (one: ReportWire, other: ReportWire): boolean =>
  one.by === other.by && one.start_date === other.start_date && one.end_date === other.end_date;

/** A report's newest figures with its rows in the order of an earlier one; rows that this did not have come last. */
export const inOrderOf = (report: ReportWire, earlier: ReportWire): ReportWire => {
  const places = new Map(earlier.rows.map(({ key }, place) => [key, place]));
  const placeOf = (key: string): number => places.get(key) ?? earlier.rows.length;
  return { ...report, rows: report.rows.toSorted((a, b) => placeOf(a.key) - placeOf(b.key)) };
};

/**
 * Keeps rows and headline in their places under a pointer or the keyboard's focus while figures arrive: a row that moves
 * at the moment of a press is the wrong one. Other days or groups come at once.
 * @returns the report for the table, that for the headline, and what the element around both listens to
 */
export const useSteadyReport = (
  report: ReportWire | null,
): { table: ReportWire | null; headline: ReportWire | null; listeners: Listeners } => {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [kept, setKept] = useState(report);
  const isHeld = isPointed || isFocused;
  const headline = isHeld && report && kept && areAlike(report, kept) ? kept : report;
  if (headline !== kept) setKept(headline);
  return {
    table: report && headline && report !== headline ? inOrderOf(report, headline) : report,
    headline,
    listeners: {
      onPointerEnter: () => setPointed(true),
      onPointerLeave: () => setPointed(false),
      // A mouse leaves the focus behind wherever it pressed: that is not reading.
      onFocus: ({ target }: FocusEvent) => setFocused(target.matches(":focus-visible")),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
        setFocused((before) => before && currentTarget.contains(relatedTarget)),
    },
  };
};
