import { type RefObject, useLayoutEffect, useRef } from "react";

const CONTROLS = "a[href], button:not(:disabled), input:not(:disabled), [tabindex]";

/**
 * Keeps the focus in a place whose content changes with `state`: where a control went and took the focus along, the
 * first one of what has come gets it. @returns what the place's element takes as `ref`
 */
export const useFocusInPlace = <E extends HTMLElement>(state: string): RefObject<E | null> => {
  const place = useRef<E>(null);
  const before = useRef(state);
  useLayoutEffect(() => {
    if (before.current === state) return;
    before.current = state;
    // At this moment the browser has nothing else to give it to; a dialog takes it a little later.
    if (document.activeElement === document.body) place.current?.querySelector<HTMLElement>(CONTROLS)?.focus();
  }, [state]);
  return place;
};
