import { type RefObject, useEffect, useRef } from "react";

/** Where the picture has a row of its own; as in review.css. */
const NARROW = "(max-width: 767px)";

/**
 * Shows each draft from its beginning, however far down the one before was read. On a phone that is with its picture at
 * the top of the window. The focus stays where it is.
 */
export const useDeckInView = (at: number): RefObject<HTMLDivElement | null> => {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(at);
  useEffect(() => {
    if (shown.current === at) return;
    shown.current = at;
    place.current?.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
  }, [at]);
  return place;
};
