"use client";

import { type RefObject, useEffect } from "react";

const HEIGHT_PROPERTY = "--dock-height";
const LEFT_BOTTOM_PX = 80;

/** Publishes the height of the dock as a CSS property, so that floating elements stay above it. */
export const useDockHeight = (dock: RefObject<HTMLElement | null>): void => {
  useEffect(() => {
    const { current } = dock;
    if (!current) return;
    const root = document.documentElement.style;
    const update = () => {
      const { top, bottom } = current.getBoundingClientRect();
      // Further up, it has left the bottom of the window and covers nothing there.
      const height = bottom < innerHeight - LEFT_BOTTOM_PX ? "0px" : `${Math.round(innerHeight - top)}px`;
      // Each change restyles the whole page, which is too slow while scrolling.
      if (root.getPropertyValue(HEIGHT_PROPERTY) !== height) root.setProperty(HEIGHT_PROPERTY, height);
    };
    const observer = new ResizeObserver(update);
    observer.observe(current);
    observer.observe(document.body);
    window.addEventListener("scroll", update, { passive: true });
    window.addEventListener("resize", update);
    return () => {
      observer.disconnect();
      window.removeEventListener("scroll", update);
      window.removeEventListener("resize", update);
      root.removeProperty(HEIGHT_PROPERTY);
    };
  }, [dock]);
};
