"use client";

import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import type { Posts } from "#components/pins/use-posts.ts";
import { Button } from "#components/ui/button.tsx";
import { WALL_PAGE } from "#lib/features/pins/constants.ts";

/** The next page is asked for while its place is still this far below the screen, in pixels. */
const AHEAD_PX = 1_200;

type PostsMoreProps = {
  list: Pick<Posts, "hasMore" | "isReadingMore" | "moreError" | "readMore">;
  shown: number;
  /** How many the list has in all; null while that is not known. */
  total: number | null;
};

/** The card of the pin at this place of the wall. */
const cardAt = (place: number): HTMLElement | null => {
  const sheet = document.querySelector(`[data-from="${place - (place % WALL_PAGE)}"]`);
  return sheet?.children[place % WALL_PAGE]?.querySelector("button") ?? null;
};

/** Who pressed for more goes on at the first pin that came, not at the end of a wall that has grown. */
const useFocusOnward = (foot: RefObject<HTMLElement | null>, shown: number): (() => void) => {
  const wasHere = useRef(false);
  const before = useRef(shown);
  useEffect(() => {
    const place = before.current;
    before.current = shown;
    if (!wasHere.current || shown <= place) return;
    wasHere.current = false;
    const { activeElement } = document;
    if (activeElement === document.body || foot.current?.contains(activeElement)) cardAt(place)?.focus();
  }, [foot, shown]);
  return () => {
    wasHere.current = foot.current?.contains(document.activeElement) ?? false;
  };
};

/** The foot of the wall: how much of it is shown, and more, by itself on the way down or by the button. */
export function PostsMore({ list, shown, total }: PostsMoreProps) {
  const { hasMore, isReadingMore, moreError, readMore } = list;
  const foot = useRef<HTMLDivElement>(null);
  const markFocus = useFocusOnward(foot, shown);
  const hasFailed = moreError !== null;
  const isAsked = hasMore && !isReadingMore && !hasFailed;
  const ask = () => {
    markFocus();
    readMore();
  };
  const reach = useEffectEvent(ask);
  // Every answer begins to look anew: the foot may still be in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const { current } = foot;
    if (!current || !isAsked) return;
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && reach(), {
      rootMargin: `${AHEAD_PX}px 0px`,
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [isAsked, shown]);
  if (!hasMore && shown <= WALL_PAGE) return null;
  const of = total !== null && total >= shown ? ` of ${total.toLocaleString("en")}` : "";
  return (
    <div ref={foot} className="posts-more">
      <p role="status" className="num">
        {hasFailed ? "The next pins could not be loaded." : `${shown.toLocaleString("en")}${of} shown`}
      </p>
      {hasMore && (
        <Button onClick={ask} isBusy={isReadingMore}>
          {hasFailed ? "Try again" : "Show more"}
        </Button>
      )}
    </div>
  );
}
