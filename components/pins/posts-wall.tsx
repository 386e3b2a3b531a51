"use client";

import { Board } from "#components/pins/board.tsx";
import type { Selection } from "#components/pins/use-selection.ts";
import { useStable } from "#components/pins/use-stable.ts";
import { WallSheet } from "#components/pins/wall-sheet.tsx";
import { cn } from "#components/ui/cn.ts";
import { WALL_PAGE } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const EAGER = 10;

type PostsWallProps = {
  posts: readonly PostWire[];
  selection: Selection;
  timeZone: string;
  /** Other posts are on their way to take the place of these. */
  isStale: boolean;
  isFresh: (post: PostWire) => boolean;
  onOpen: (post: PostWire) => void;
  onRetry: (post: PostWire) => void;
};

const sheetsOf = (posts: readonly PostWire[]): { from: number; posts: readonly PostWire[] }[] =>
  Array.from({ length: Math.ceil(posts.length / WALL_PAGE) }, (_, n) => {
    const from = n * WALL_PAGE;
    return { from, posts: posts.slice(from, from + WALL_PAGE) };
  });

/** The pins as they hang (R-POST-06), in sheets of whole rows. */
export function PostsWall({ posts, selection, timeZone, isStale, isFresh, onOpen, onRetry }: PostsWallProps) {
  const toggle = useStable(selection.toggle);
  const retry = useStable(onRetry);
  return (
    <Board className={cn("posts-board", isStale && "posts-board-stale")}>
      {sheetsOf(posts).map((sheet) => (
        <WallSheet
          key={sheet.from}
          posts={sheet.posts}
          from={sheet.from}
          eager={sheet.from === 0 ? EAGER : 0}
          placeOf={selection.placeOf}
          timeZone={timeZone}
          isFresh={isFresh}
          onToggle={toggle}
          onOpen={onOpen}
          onRetry={retry}
        />
      ))}
    </Board>
  );
}
