"use client";

import { useEffect, useRef, useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import type { Selection } from "#components/pins/use-selection.ts";
import { postsPath, type WallQuery } from "#components/pins/wall-list.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { api } from "#lib/client/api.ts";
import { PAGE_MAX, PINS_AT_ONCE_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import type { PostsWire, PostWire } from "#lib/features/pins/schema.ts";

/** The drafts of a list from its beginning, as many as may be chosen at once. @throws ApiError */
const readDrafts = async (accountId: string, query: WallQuery): Promise<PostWire[]> => {
  const found: PostWire[] = [];
  let path: string | null = postsPath(accountId, { ...query, filter: "draft" }, { limit: String(PAGE_MAX) });
  while (path !== null && found.length < PINS_AT_ONCE_MAX) {
    const page: { body: PostsWire; next: string | null } = await api.getPage<PostsWire>(path);
    found.push(...page.body.posts);
    path = page.next;
  }
  return found.slice(0, PINS_AT_ONCE_MAX);
};

interface AllDrafts {
  accountId: string | null;
  query: WallQuery;
  posts: readonly PostWire[];
  hasMore: boolean;
  /** How many drafts the search finds. */
  total: number;
  selection: Selection;
}

/** Chooses all drafts that the search finds, shown or not, and nothing else (R-POST-05); of too many the first. */
export const useAllDrafts = (all: AllDrafts): { isBusy: boolean; choose: () => Promise<void> } => {
  const { accountId, query, posts, hasMore, total, selection } = all;
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const [isBusy, setBusy] = useState(false);
  const latest = useRef(selection);
  useEffect(() => {
    latest.current = selection;
  }, [selection]);

  const choose = async () => {
    if (!accountId || isBusy) return;
    if (!hasMore) return selection.add(posts.filter(({ status }) => status === "draft"));
    setBusy(true);
    try {
      const drafts = await readDrafts(accountId, query);
      latest.current.add(drafts);
      if (total > drafts.length) {
        const [most, found] = [drafts.length, total].map((count) => count.toLocaleString("en"));
        showToast(`The first ${most} of ${found} drafts are chosen: no more go at once.`);
      }
    } catch (error) {
      if (!isSessionFailure(error)) notice.error(TEXTS.loadFailed);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, choose };
};
