"use client";

import { Pin } from "#components/pins/pin.tsx";
import { PinFace } from "#components/pins/pin-face.tsx";
import { REVIEW_SIZES } from "#components/pins/review/use-preload.ts";
import { useSwipe } from "#components/pins/review/use-swipe.ts";
import { cn } from "#components/ui/cn.ts";
import type { Review } from "#lib/features/pins/constants.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

type ReviewCardProps = { post: PostWire; choice: Review | null; onDecide: (review: Review) => void };

const WORDS = { approved: "Approved", rejected: "Rejected" } as const;

/** The picture of the draft that is shown; on a phone it goes with the finger: right approves, left rejects. */
export function ReviewCard({ post, choice, onDecide }: ReviewCardProps) {
  const { dx, side, on } = useSwipe((towards) => onDecide(towards === "right" ? "approved" : "rejected"));
  const leaning = side && (side === "right" ? "approved" : "rejected");
  const stamp = leaning ?? choice;
  return (
    <div
      className={cn("review-card", dx !== 0 && "is-held")}
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
      {stamp && <span className={cn("review-stamp", `is-${stamp}`)}>{WORDS[stamp]}</span>}
    </div>
  );
}
