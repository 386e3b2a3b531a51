"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { api } from "#lib/client/api.ts";
import { type LiveRows, nextSequence, useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { type ApiQuery, useApiQuery } from "#lib/client/use-api-query.ts";
import { type NextPage, useNextPage } from "#lib/client/use-next-page.ts";
import type { PostCounts, PostsWire, PostWire } from "#lib/features/pins/schema.ts";
import { useWatch } from "./use-watch.ts";
import {
  appendPage,
  belongsTo,
  countNew,
  headLimit,
  keepTail,
  type Listed,
  mergePosts,
  nextPagePath,
  postsPath,
  type WallQuery,
} from "./wall-list.ts";

/** All lists of an account that a search finds, whatever their state and order. */
const searchKey = (accountId: string, q: string) => [...queryKeys.postLists, accountId, q];
const listKey = (accountId: string, { q, filter, sort }: WallQuery) => [...searchKey(accountId, q), filter, sort];

/**
 * Counts again how many posts a search finds in each state, soon after the stream told of something, and writes it into
 * the lists that were not answered since. What cannot be counted stays as it was.
 */
const useRecount = (accountId: string | null, q: string): void => {
  const client = useQueryClient();
  useQuery({
    queryKey: [...queryKeys.postCounts, accountId, q],
    queryFn: async ({ signal }) => {
      if (accountId === null) return null;
      const asked = client.getQueriesData<Listed>({ queryKey: searchKey(accountId, q) });
      const path = postsPath(accountId, { q }, { limit: "1", counts: "true" });
      const { counts } = await api.get<PostsWire>(path, signal);
      for (const [key, list] of asked) {
        client.setQueryData<Listed>(key, (now) =>
          counts && now && now.counts === list?.counts ? { ...now, counts } : undefined,
        );
      }
      return null;
    },
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
  });
};

/** As many posts as are read again from the beginning; what was shown behind them stays as the stream tells it. */
const HEAD_MAX = 1_000;

/** What the server put on the first paint, and what it was asked for. */
export type FirstPosts = { accountId: string | null; query: WallQuery; posts: PostsWire | null };

export interface Posts extends Pick<ApiQuery<unknown>, "error" | "isLoading" | "reload"> {
  /** Names the answer that is shown; another one with each reading of the list. */
  answer: number | null;
  /** Null while nothing has answered, and after a failure. */
  posts: PostWire[] | null;
  /** The posts are still those of another search or order. */
  isStale: boolean;
  counts: PostCounts | null;
  /** How many posts of this list are not shown yet: they would push the others away, so they come with `reload`. */
  newCount: number;
  more: NextPage;
  /** What the stream has told of posts, shown or not. */
  rows: LiveRows<PostWire>;
}

const readPage = async (path: string, signal?: AbortSignal): Promise<Listed> => {
  const requestedAt = nextSequence();
  const { body, next } = await api.getPage<PostsWire>(path, signal);
  return {
    held: body.posts.map((post) => ({ post, requestedAt })),
    requestedAt,
    nextPath: nextPagePath(next),
    counts: body.counts ?? null,
  };
};

/** The beginning of a list: at least a page, and as far as it was shown before. */
const readHead = async (path: (limit: number) => string, wanted: number, read: (path: string) => Promise<Listed>) => {
  let head = await read(path(headLimit(wanted)));
  while (head.nextPath !== null && head.held.length < Math.min(wanted, HEAD_MAX)) {
    head = appendPage(head, await read(head.nextPath));
  }
  return head;
};

const NONE: readonly PostWire[] = [];

const paintedList = ({ posts, counts }: PostsWire): Listed => ({
  held: posts.map((post) => ({ post, requestedAt: 0 })),
  requestedAt: 0,
  nextPath: null,
  counts: counts ?? null,
});

/** The account and state that a list's key names. */
const placeOf = ([, accountId, , filter]: readonly unknown[]): string => `${accountId} ${filter}`;

/**
 * The list as its calls answer: its beginning on load and on `reload`, as far as it was shown before. Until then the
 * first paint is shown, or what another search or order found in the same place.
 */
const useListed = (accountId: string | null, query: WallQuery, first: FirstPosts): ApiQuery<Listed> => {
  const client = useQueryClient();
  const key = accountId && listKey(accountId, query);
  const ask = async (signal: AbortSignal): Promise<Listed> => {
    const path = (limit: number) => postsPath(accountId ?? "", query, { limit: String(limit), counts: "true" });
    const before = () => (key && client.getQueryData<Listed>(key)) || null;
    const wanted = before()?.held.length ?? 0;
    const head = await readHead(path, wanted, (one) => readPage(one, signal));
    return wanted > HEAD_MAX ? keepTail(head, before(), query.sort) : head;
  };
  return useApiQuery(key || null, ask, {
    placeholderData: (before, previous) => {
      const place = `${accountId} ${query.filter}`;
      if (before) return placeOf(previous?.queryKey ?? []) === place ? before : undefined;
      const isPainted = first.posts !== null && `${first.accountId} ${first.query.filter}` === place;
      return isPainted && first.posts ? paintedList(first.posts) : undefined;
    },
  });
};

/**
 * The posts of an account that a search finds, in an order, page by page: as the documented call answers, then as the
 * live stream tells it; those whose time has come are asked for again every three seconds.
 */
export const usePosts = (accountId: string | null, query: WallQuery, first: FirstPosts): Posts => {
  const rows = useLiveRows<PostWire>(queryKeys.postRows);
  const call = useListed(accountId, query, first);
  const { data: list, reload } = call;
  const answered = call.isPlaceholder ? null : list;
  const more = useNextPage({
    queryKey: listKey(accountId ?? "", query),
    list: answered,
    read: readPage,
    append: appendPage,
    answer: answered?.requestedAt,
  });
  const posts = useMemo(() => list && mergePosts(list.held, rows), [list, rows]);
  const newCount = useMemo(() => {
    if (!answered) return 0;
    const belongs = (post: PostWire) => belongsTo(post, accountId, query);
    return countNew(answered, rows, { belongs, sort: query.sort });
  }, [answered, rows, accountId, query]);
  useRecount(accountId, query.q);
  useWatch(accountId, posts ?? NONE);
  const isEmpty = answered?.held.length === 0;
  useEffect(() => {
    // Nothing is there that could be pushed away.
    if (isEmpty && newCount > 0) void reload();
  }, [isEmpty, newCount, reload]);
  return {
    answer: answered?.requestedAt ?? null,
    posts,
    isStale: query !== first.query && list !== null && answered === null,
    counts: list?.counts ?? null,
    newCount,
    error: call.error,
    isLoading: call.isLoading && list === null,
    reload,
    more,
    rows,
  };
};

/** Tells which posts have been published since the screen first saw them otherwise. */
export const useFreshlyPublished = (posts: readonly PostWire[]): ((post: PostWire) => boolean) => {
  const [firstSeen, setFirstSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const unseen = posts.filter(({ id }) => !firstSeen.has(id));
  if (unseen.length > 0) {
    setFirstSeen(new Map([...firstSeen, ...unseen.map(({ id, status }) => [id, status] as const)]));
  }
  return (post) => post.status === "published" && (firstSeen.get(post.id) ?? "published") !== "published";
};
