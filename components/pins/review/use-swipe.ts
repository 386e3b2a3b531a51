"use client";

import { type PointerEvent, useRef, useState } from "react";

/** A finger that moved so far sideways, as a part of the width, has decided. */
const DECIDED = 0.28;

export interface Swipe {
  /** How far the finger is from where it began, in pixels. */
  dx: number;
  /** What letting go now would say; null for nothing yet. */
  side: "left" | "right" | null;
  on: {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    onPointerUp: (event: PointerEvent<HTMLElement>) => void;
    onPointerCancel: () => void;
  };
}

/** Follows one finger or pen sideways over an element; up and down stays scrolling. A mouse has buttons to press. */
export const useSwipe = (onSwipe: (side: "left" | "right") => void): Swipe => {
  const from = useRef<{ id: number; x: number; width: number } | null>(null);
  const [dx, setDx] = useState(0);
  const width = from.current?.width ?? 1;
  const sideOf = (moved: number, across: number) =>
    Math.abs(moved) < across * DECIDED ? null : moved < 0 ? "left" : "right";
  const rest = () => {
    from.current = null;
    setDx(0);
  };
  return {
    dx,
    side: sideOf(dx, width),
    on: {
      onPointerDown: (event) => {
        if (event.pointerType === "mouse" || !event.isPrimary) return;
        from.current = { id: event.pointerId, x: event.clientX, width: event.currentTarget.clientWidth };
      },
      onPointerMove: (event) => {
        if (from.current?.id === event.pointerId) setDx(event.clientX - from.current.x);
      },
      onPointerUp: (event) => {
        const begun = from.current;
        if (begun?.id !== event.pointerId) return;
        const side = sideOf(event.clientX - begun.x, begun.width);
        rest();
        if (side) onSwipe(side);
      },
      // The browser took the finger over to scroll.
      onPointerCancel: rest,
    },
  };
};
