"use client";

import { memo, type RefObject, useEffect, useRef, useState } from "react";
import { PostCard } from "#components/pins/post-card.tsx";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** A sheet this near to the screen is there, in pixels: more than a page down passes at once. */
const NEAR_PX = 1_600;

export type SheetProps = {
  posts: readonly PostWire[];
  /** Place of the first of them on the wall, from 0. */
  from: number;
  /** How many of them load their pictures at once. */
  eager: number;
  placeOf: (id: string) => number | undefined;
  timeZone: string;
  isFresh: (post: PostWire) => boolean;
  onToggle: (post: PostWire, isRange: boolean) => void;
  onOpen: (post: PostWire) => void;
  onRetry: (post: PostWire) => void;
};

/**
 * Whether a part of the page is near the screen, and how high it was when it last was. It also counts as near while the
 * focus is in it, so that nobody's place is lost.
 */
const useNear = (element: RefObject<HTMLElement | null>): { isNear: boolean; heightPx: number | null } => {
  const [near, setNear] = useState<{ isNear: boolean; heightPx: number | null }>({ isNear: true, heightPx: null });
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)?.isIntersecting ?? true;
        if (!isNear && current.contains(document.activeElement)) return;
        setNear((before) => {
          if (before.isNear === isNear) return before;
          return { isNear, heightPx: isNear ? before.heightPx : current.offsetHeight };
        });
      },
      { rootMargin: `${NEAR_PX}px 0px` },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return near;
};

const haveSamePosts = (a: readonly PostWire[], b: readonly PostWire[]): boolean =>
  a.length === b.length && a.every((post, at) => post === b[at]);

const areSame = (a: SheetProps, b: SheetProps): boolean =>
  haveSamePosts(a.posts, b.posts) &&
  a.from === b.from &&
  a.eager === b.eager &&
  a.placeOf === b.placeOf &&
  a.timeZone === b.timeZone &&
  a.onToggle === b.onToggle &&
  a.onOpen === b.onOpen &&
  a.onRetry === b.onRetry;

function Sheet({ posts, from, eager, placeOf, timeZone, isFresh, onToggle, onOpen, onRetry }: SheetProps) {
  const sheet = useRef<HTMLUListElement>(null);
  const { isNear, heightPx } = useNear(sheet);
  return (
    <ul
      ref={sheet}
      className="posts-grid"
      data-from={from}
      aria-label={`Pins ${from + 1} to ${from + posts.length}`}
      style={isNear ? undefined : { height: heightPx ?? undefined }}
    >
      {isNear &&
        posts.map((post, at) => (
          <PostCard
            key={post.id}
            post={post}
            place={placeOf(post.id)}
            timeZone={timeZone}
            isEager={at < eager}
            hasJustChanged={isFresh(post)}
            onToggle={onToggle}
            onOpen={onOpen}
            onRetry={onRetry}
          />
        ))}
    </ul>
  );
}

/** A page of the wall. Far from the screen only its height is there, so that thousands of pins weigh as much as a few. */
export const WallSheet = memo(Sheet, areSame);
