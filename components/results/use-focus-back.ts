import { type RefCallback, useCallback } from "react";

/** @returns what a button takes as `ref`: where it goes and has the focus, the heading of its part gets it. */
export const useFocusBack = (headingId: string): RefCallback<HTMLElement> =>
  useCallback(
    (button) => () => {
      if (button !== null && document.activeElement === button) document.getElementById(headingId)?.focus();
    },
    [headingId],
  );
