"use client";

import { defaultRangeExtractor, type Range } from "@tanstack/react-virtual";
import { type FocusEvent, useCallback, useRef } from "react";

/** The row that has the focus stays in a list of which only the rows in view are there: nobody's place is lost. */
export const useKeptRow = () => {
  const kept = useRef<number | null>(null);
  const rangeExtractor = useCallback((range: Range): number[] => {
    const shown = defaultRangeExtractor(range);
    const { current } = kept;
    if (current === null || current >= range.count || shown.includes(current)) return shown;
    return [...shown, current].toSorted((a, b) => a - b);
  }, []);
  const onFocus = useCallback((event: FocusEvent) => {
    const row = event.target.closest("[data-index]")?.getAttribute("data-index");
    kept.current = row ? Number(row) : null;
  }, []);
  const onBlur = useCallback(() => {
    kept.current = null;
  }, []);
  return { rangeExtractor, onFocus, onBlur };
};
