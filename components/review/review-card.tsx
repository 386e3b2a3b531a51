"use client";

import { type PointerEvent, useEffect, useRef, useState } from "react";
import { PinMedia } from "#components/pins/pin-media.tsx";
import { Pin, PinFace } from "#components/shared/pin.tsx";
import { cn } from "#components/ui/cn.ts";
import type { Review } from "#lib/features/pins/constants.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

/** A swipe counts from this fraction of the width. */
const SWIPE_THRESHOLD = 0.28;

interface Swipe {
  /** Horizontal distance from the start, in pixels. */
  dx: number;
  /** The result of releasing now; null when not far enough. */
  side: "left" | "right" | null;
  on: {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    onPointerUp: (event: PointerEvent<HTMLElement>) => void;
    onPointerCancel: () => void;
  };
}

/** Height of the browser's controls at the bottom of a video, in pixels. */
const VIDEO_CONTROLS_PX = 80;

/** A drag on the controls of a video seeks. */
const isOnControls = ({ target, clientY }: PointerEvent<HTMLElement>): boolean =>
  target instanceof HTMLVideoElement && clientY > target.getBoundingClientRect().bottom - VIDEO_CONTROLS_PX;

/** Horizontal swipes by touch or pen; vertical movement scrolls. Mouse users have buttons. */
const useSwipe = (onSwipe: (side: "left" | "right") => void): Swipe => {
  const from = useRef<{ id: number; x: number; width: number } | null>(null);
  const [dx, setDx] = useState(0);
  const width = from.current?.width ?? 1;
  const sideOf = (moved: number, across: number) =>
    Math.abs(moved) < across * SWIPE_THRESHOLD ? null : moved < 0 ? "left" : "right";
  const reset = () => {
    from.current = null;
    setDx(0);
  };
  return {
    dx,
    side: sideOf(dx, width),
    on: {
      onPointerDown: (event) => {
        if (event.pointerType === "mouse" || !event.isPrimary || isOnControls(event)) return;
        from.current = { id: event.pointerId, x: event.clientX, width: event.currentTarget.clientWidth };
      },
      onPointerMove: (event) => {
        if (from.current?.id === event.pointerId) setDx(event.clientX - from.current.x);
      },
      onPointerUp: (event) => {
        const start = from.current;
        if (start?.id !== event.pointerId) return;
        const side = sideOf(event.clientX - start.x, start.width);
        reset();
        if (side) onSwipe(side);
      },
      // The browser started scrolling.
      onPointerCancel: reset,
    },
  };
};

const PRELOAD_COUNT = 3;

/** Matches the width of the review card. */
const REVIEW_SIZES = "(min-width: 768px) 380px, 74vw";

/** Preloads the next images, with the same `srcset` candidates as the card. */
export const usePreload = (pins: readonly PinWire[], at: number): void => {
  useEffect(() => {
    for (const { image_url } of pins.slice(at + 1, at + 1 + PRELOAD_COUNT)) {
      const image = new Image();
      image.sizes = REVIEW_SIZES;
      image.srcset = thumbnailSet(image_url) ?? "";
      image.src = image_url;
    }
  }, [pins, at]);
};

type ReviewCardProps = { pin: PinWire; choice: Review | null; onDecide: (review: Review) => void };

const REVIEW_LABELS = { approved: "Approved", rejected: "Rejected" } as const;

/** The image, video or slides of the current draft. Swiping right approves, left rejects. */
export function ReviewCard({ pin, choice, onDecide }: ReviewCardProps) {
  const { dx, side, on } = useSwipe((direction) => onDecide(direction === "right" ? "approved" : "rejected"));
  const swipeReview = side && (side === "right" ? "approved" : "rejected");
  const label = swipeReview ?? choice;
  return (
    <div
      data-slot="review-card"
      className={cn(
        "relative row-span-2 mx-auto w-[min(100%,calc((100dvh-250px)*9/14))] min-w-52.5 touch-pan-y pt-2.5",
        "max-[64rem]:row-auto max-md:w-[min(100%,calc((100dvh-330px)*9/14))]",
        dx === 0 ? "transition-[translate,rotate] duration-(--dur-hover) ease-out" : "select-none",
      )}
      style={{ translate: `${dx}px 0`, rotate: `${dx / 40}deg` }}
      {...on}
    >
      <PinMedia pin={pin}>
        <Pin state={pin.status}>
          <PinFace
            key={pin.id}
            src={pin.image_url}
            placeholder={pin.placeholder}
            srcSet={thumbnailSet(pin.image_url)}
            sizes={REVIEW_SIZES}
            alt={pin.alt_text || pin.title}
            isEager
          />
        </Pin>
      </PinMedia>
      {label && (
        <span
          className={cn(
            "absolute -right-2 z-(--z-tack) rounded-[7px] px-3 py-[5px] text-sm font-semibold",
            "shadow-(--shadow-pin-lift)",
            // The controls of a video and of slides are at the bottom.
            pin.format === "image" ? "bottom-4.5" : "top-5",
            label === "approved" ? "bg-published-tint text-published-ink" : "bg-failed-tint text-failed-ink",
          )}
        >
          {REVIEW_LABELS[label]}
        </span>
      )}
    </div>
  );
}
