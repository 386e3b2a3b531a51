import { type RefObject, useEffect, useRef } from "react";

/**
 * After an item is removed, the focus goes to the remove button (`selector`) of the next item, or of the last one. When
 * none is left, it goes to `otherwise`, the first field of the container. @returns what to call right before a removal
 */
export const useFocusAfterRemoval = <T>(
  container: RefObject<HTMLElement | null>,
  items: readonly T[],
  selector: string,
  otherwise = "input",
): ((item: T) => void) => {
  const removedAt = useRef<number | null>(null);
  useEffect(() => {
    const at = removedAt.current;
    removedAt.current = null;
    if (at === null) return;
    const buttons = container.current?.querySelectorAll<HTMLElement>(selector);
    const button = buttons?.[Math.min(at, items.length - 1)];
    (button ?? container.current?.querySelector<HTMLElement>(otherwise))?.focus();
  }, [container, items, selector, otherwise]);
  return (item) => {
    removedAt.current = items.indexOf(item);
  };
};
