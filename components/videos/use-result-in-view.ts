"use client";

import { type RefObject, useEffect, useRef } from "react";
import type { Extraction } from "#lib/features/videos/engine/types.ts";

/** How much of a result must be in view, in pixels, for it to be noticed. */
const NOTICED_PX = 200;

/** Scrolls to what a page was read into when that is below the fold; the focus stays where it is. */
export const useResultInView = (extraction: Extraction | null): RefObject<HTMLDivElement | null> => {
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(extraction);
  useEffect(() => {
    if (shown.current === extraction) return;
    shown.current = extraction;
    const top = place.current?.getBoundingClientRect().top ?? 0;
    if (top > window.innerHeight - NOTICED_PX) place.current?.scrollIntoView({ block: "start" });
  }, [extraction]);
  return place;
};
