import { type RefObject, useLayoutEffect, useRef } from "react";

const CONTROLS = "a[href], button:not(:disabled), input:not(:disabled), [tabindex]";

/**
 * Keeps the focus inside an element whose content changes with `state`: if the focused control disappears, the first new
 * control gets the focus. @returns the element's `ref`
 */
export const useFocusInPlace = <E extends HTMLElement>(state: string): RefObject<E | null> => {
  const container = useRef<E>(null);
  const before = useRef(state);
  useLayoutEffect(() => {
    if (before.current === state) return;
    before.current = state;
    // The body has the focus only if the focused control disappeared.
    if (document.activeElement === document.body) container.current?.querySelector<HTMLElement>(CONTROLS)?.focus();
  }, [state]);
  return container;
};
