"use client";

import { useCallback, useState } from "react";
import type { Posts } from "#components/pins/use-posts.ts";
import { openedNow } from "#components/pins/wall-list.ts";
import type { PostSort } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** The pin whose details are open. */
export interface Opened {
  isOpen: boolean;
  /** As it was last known; null once it left the list. */
  post: PostWire | null;
  open: (post: PostWire) => void;
  close: () => void;
}

/** Follows the pin whose details are open through what the list answers (R-POST-07). */
export const useOpened = ({ posts, hasMore, live }: Posts, sort: PostSort): Opened => {
  const [opened, setOpened] = useState<PostWire | null>(null);
  return {
    isOpen: opened !== null,
    post: opened && openedNow(opened, { posts, hasMore, sort, rows: live.rows }),
    open: setOpened,
    close: useCallback(() => setOpened(null), []),
  };
};
