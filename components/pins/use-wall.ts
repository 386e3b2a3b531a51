"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useSessionEnd } from "#components/shared/session.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { api, callAction } from "#lib/client/api.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { listReviewedAction } from "#lib/features/pins/actions.ts";
import { PAGE_MAX, PINS_AT_ONCE_MAX, REVIEWS, type Review, TEXTS } from "#lib/features/pins/constants.ts";
import type { PostsWire, PostWire } from "#lib/features/pins/schema.ts";
import { type FirstPosts, usePosts } from "./use-posts.ts";
import { type Selection, useSelection } from "./use-selection.ts";
import { useChosenLook } from "./use-watch.ts";
import { postsPath, readWallQuery, type WallQuery } from "./wall-list.ts";

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
const useAllDrafts = (all: AllDrafts): { isBusy: boolean; choose: () => Promise<void> } => {
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

const focusBar = (): void =>
  document.querySelector<HTMLElement>("[data-slot=schedule-bar]")?.focus({ preventScroll: true });

/** Chooses the drafts of which a review said something, where the address asks for that; once, so a reload does not. */
const useReviewed = (accountId: string | null, choose: (posts: readonly PostWire[]) => void): void => {
  const notice = useNotice();
  const read = useEffectEvent(async (review: Review) => {
    if (!accountId) return;
    const answer = await callAction(listReviewedAction({ accountId, review }));
    if (!answer.ok) return notice.error(answer.text);
    flushSync(() => choose(answer.value.posts));
    // The button that led here is gone: what was asked for is the bar of what is chosen now.
    if (document.activeElement === document.body) focusBar();
  });
  useEffect(() => {
    const asked = new URLSearchParams(location.search).get("choose");
    const review = REVIEWS.find((word) => word === asked);
    if (!review) return;
    editQuery((search) => search.delete("choose"));
    read(review);
  }, []);
};

/** What an address leaves out, since it goes without saying. */
const DEFAULTS = { status: "all", q: "", sort: "newest" };

const queryOf = (search: URLSearchParams): WallQuery => readWallQuery(Object.fromEntries(search));

type FilterAddress = {
  accountId: string | null;
  query: WallQuery;
  /** The way back or forward has led to another address of this screen. */
  onReturn: (accountId: string | null, query: WallQuery) => void;
};

/**
 * Keeps account, status, search and order in the address, so that a reload and a shared link show the same. Each status
 * is a step of its own, so that the browser's way back leads to the one before.
 */
const useFilterAddress = ({ accountId, query, onReturn }: FilterAddress): void => {
  const { filter, q, sort } = query;
  useEffect(
    () =>
      editQuery(
        (search) => {
          if (accountId) search.set("account", accountId);
          const asked = { status: filter, q, sort };
          for (const name of ["status", "q", "sort"] as const) {
            if (asked[name] === DEFAULTS[name]) search.delete(name);
            else search.set(name, asked[name]);
          }
        },
        { isStep: (before) => queryOf(before).filter !== filter },
      ),
    [accountId, filter, q, sort],
  );
  const goBack = useEffectEvent(() => {
    const search = new URLSearchParams(location.search);
    onReturn(search.get("account") ?? accountId, queryOf(search));
  });
  useEffect(() => {
    const { pathname } = location;
    const hear = () => {
      if (location.pathname === pathname) goBack();
    };
    window.addEventListener("popstate", hear);
    return () => window.removeEventListener("popstate", hear);
  }, []);
};

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
  const selection = useSelection({ accountId, posts, rows: list.rows, onFull: sayFull });
  useChosenLook(list.answer, { accountId, selection, shown: posts });
  useReviewed(accountId, selection.restore);
  const isDraftHere = query.filter === "all" || query.filter === "draft";
  const draftCount = isDraftHere ? (list.counts?.draft ?? 0) : 0;
  const allDrafts = useAllDrafts({
    accountId,
    query,
    posts,
    hasMore: list.more.hasMore,
    total: draftCount,
    selection,
  });
  return { accountId, setAccountId, query, change, list, posts, selection, draftCount, allDrafts };
};
