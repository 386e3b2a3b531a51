"use client";

import { useEffect, useEffectEvent, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import type { Saved } from "#components/videos/use-saved.ts";

/** The next page is asked for while its place is still this far below the screen, in pixels. */
const AHEAD_PX = 900;

type SavedMoreProps = { more: Saved["more"]; shown: number; found: number };

/** How much of the list is shown, and more of it, by itself on the way down or by the button. */
export function SavedMore({ more, shown, found }: SavedMoreProps) {
  const { hasMore, isReading, hasFailed, read } = more;
  const foot = useRef<HTMLDivElement>(null);
  const isAsked = hasMore && !isReading && !hasFailed;
  const reach = useEffectEvent(read);
  // Every answer begins to look anew: the foot may still be in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const { current } = foot;
    if (!current || !isAsked) return;
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && void reach(), {
      rootMargin: `${AHEAD_PX}px 0px`,
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [isAsked, shown]);
  if (!hasMore) return null;
  return (
    <div ref={foot} className="posts-more">
      <p role="status" className="num">
        {hasFailed
          ? "The next videos could not be loaded."
          : `${shown.toLocaleString("en")} of ${found.toLocaleString("en")} shown`}
      </p>
      <Button onClick={() => void read()} isBusy={isReading}>
        {hasFailed ? "Try again" : "Show more"}
      </Button>
    </div>
  );
}
