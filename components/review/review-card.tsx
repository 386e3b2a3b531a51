"use client";

import { type PointerEvent, useEffect, useRef, useState } from "react";
import { Pin, PinFace } from "#components/shared/pin.tsx";
import { cn } from "#components/ui/cn.ts";
import type { Review } from "#lib/features/pins/constants.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** A finger that moved so far sideways, as a part of the width, has decided. */
const DECIDED = 0.28;

interface Swipe {
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
const useSwipe = (onSwipe: (side: "left" | "right") => void): Swipe => {
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

/** Pictures that are fetched before they are shown. */
const AHEAD = 3;

/** As wide as a review draws the picture. */
const REVIEW_SIZES = "(min-width: 768px) 380px, 74vw";

/** Fetches the pictures behind the one that is shown, as the same candidates of `srcset` that will be shown. */
export const usePreload = (posts: readonly PostWire[], at: number): void => {
  useEffect(() => {
    for (const { image_url } of posts.slice(at + 1, at + 1 + AHEAD)) {
      const image = new Image();
      image.sizes = REVIEW_SIZES;
      image.srcset = thumbnailSet(image_url) ?? "";
      image.src = image_url;
    }
  }, [posts, at]);
};

type ReviewCardProps = { post: PostWire; choice: Review | null; onDecide: (review: Review) => void };

const WORDS = { approved: "Approved", rejected: "Rejected" } as const;

/** The picture of the draft that is shown; on a phone it goes with the finger: right approves, left rejects. */
export function ReviewCard({ post, choice, onDecide }: ReviewCardProps) {
  const { dx, side, on } = useSwipe((towards) => onDecide(towards === "right" ? "approved" : "rejected"));
  const leaning = side && (side === "right" ? "approved" : "rejected");
  const stamp = leaning ?? choice;
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
      <Pin state={post.status}>
        <PinFace
          key={post.id}
          src={post.image_url}
          placeholder={post.placeholder}
          srcSet={thumbnailSet(post.image_url)}
          sizes={REVIEW_SIZES}
          alt={post.alt_text || post.title}
          isEager
        />
      </Pin>
      {/* The word beside its color, in a corner of the picture's frame. */}
      {stamp && (
        <span
          className={cn(
            "absolute -right-2 bottom-4.5 z-(--z-tack) rounded-[7px] px-3 py-[5px] text-sm font-semibold",
            "shadow-(--shadow-pin-lift)",
            stamp === "approved" ? "bg-published-tint text-published-ink" : "bg-failed-tint text-failed-ink",
          )}
        >
          {WORDS[stamp]}
        </span>
      )}
    </div>
  );
}
