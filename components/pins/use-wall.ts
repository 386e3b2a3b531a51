"use client";

import { useCallback, useState } from "react";
import { useAllDrafts } from "#components/pins/use-all-drafts.ts";
import { useChosenLook } from "#components/pins/use-chosen-look.ts";
import { useFilterAddress } from "#components/pins/use-filter-address.ts";
import { type FirstPosts, usePosts } from "#components/pins/use-posts.ts";
import { useReviewed } from "#components/pins/use-reviewed.ts";
import { useSelection } from "#components/pins/use-selection.ts";
import type { WallQuery } from "#components/pins/wall-list.ts";
import { showToast } from "#components/ui/toaster.tsx";
import { PINS_AT_ONCE_MAX } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

const NONE: readonly PostWire[] = [];

const sayFull = (): void => showToast(`At most ${PINS_AT_ONCE_MAX} pins can be chosen at once.`);

/** What is asked for, what answered, and what of it is chosen. */
export const useWall = (first: FirstPosts) => {
  const [accountId, setAccountId] = useState(first.accountId);
  const [query, setQuery] = useState(first.query);
  const change = useCallback((part: Partial<WallQuery>) => setQuery((before) => ({ ...before, ...part })), []);
  useFilterAddress({
    accountId,
    query,
    onReturn: (id, asked) => {
      setAccountId(id);
      setQuery(asked);
    },
  });
  const list = usePosts(accountId, query, first);
  const posts = list.posts ?? NONE;
  const selection = useSelection({ accountId, posts, rows: list.live.rows, onFull: sayFull });
  useChosenLook(list.answer, { accountId, selection, shown: posts, live: list.live });
  useReviewed(accountId, selection.restore);
  const isDraftHere = query.filter === "all" || query.filter === "draft";
  const draftCount = isDraftHere ? (list.counts?.draft ?? 0) : 0;
  const allDrafts = useAllDrafts({
    accountId,
    query,
    posts,
    hasMore: list.hasMore,
    total: draftCount,
    selection,
  });
  return { accountId, setAccountId, query, change, list, posts, selection, draftCount, allDrafts };
};
