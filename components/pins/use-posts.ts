"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useScreenCall, useSessionEnd } from "#components/shared/session.ts";
import { api } from "#lib/client/api.ts";
import type { CallState } from "#lib/client/use-call.ts";
import { type Live, useLiveRows, useStream } from "#lib/client/use-stream.ts";
import { SECOND_MS } from "#lib/core/time.ts";
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

/** Changes that come together are counted together. */
const PAUSE_MS = SECOND_MS;

/**
 * How many posts a search finds in each state: as the list's own call answered, and counted again soon after something
 * was told of. What cannot be counted stays as it was.
 */
const useCounts = (
  accountId: string | null,
  { q }: Pick<WallQuery, "q">,
  { counts, news }: { counts: PostCounts | null; news: unknown },
): PostCounts | null => {
  const [latest, setLatest] = useState<{ of: unknown; counts: PostCounts } | null>(null);
  const seen = useRef(news);
  const answered = useRef(counts);
  answered.current = counts;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (seen.current === news || !accountId) return;
    seen.current = news;
    if (timer.current !== undefined) return;
    timer.current = setTimeout(async () => {
      timer.current = undefined;
      const of = answered.current;
      const asked = api.get<PostsWire>(postsPath(accountId, { q }, { limit: "1", counts: "true" }));
      const answer = await asked.catch(() => null);
      if (answer?.counts) setLatest({ of, counts: answer.counts });
    }, PAUSE_MS);
  }, [accountId, q, news]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has its own counts
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [accountId, q],
  );
  return latest?.of === counts ? (latest?.counts ?? counts) : counts;
};

/** As many posts as are read again from the beginning; what was shown behind them stays as the stream tells it. */
const HEAD_MAX = 1_000;

/** What the server put on the first paint, and what it was asked for. */
export type FirstPosts = { accountId: string | null; query: WallQuery; posts: PostsWire | null };

export interface Posts extends Pick<CallState<unknown>, "error" | "isLoading" | "reload"> {
  /** What answered last; another one with each answer. */
  answer: unknown;
  /** Null while nothing has answered, and after a failure. */
  posts: PostWire[] | null;
  /** The posts are still those of another search or order. */
  isStale: boolean;
  counts: PostCounts | null;
  /** How many posts of this list are not shown yet: they would push the others away, so they come with `reload`. */
  newCount: number;
  hasMore: boolean;
  isReadingMore: boolean;
  moreError: unknown;
  readMore: () => void;
  live: Live<PostWire>;
}

const readPage = async (path: string, mark: () => number, signal?: AbortSignal): Promise<Listed> => {
  const askedAt = mark();
  const { body, next } = await api.getPage<PostsWire>(path, signal);
  return {
    held: body.posts.map((post) => ({ post, askedAt })),
    askedAt,
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

type Asked = { accountId: string | null; query: WallQuery; live: Live<PostWire> };
type Grown = { from: Listed; list: Listed };

/** The list as its calls answer: its beginning on load and on `reload`, and a page more on `readMore`. */
const useListed = ({ accountId, query, live: { mark } }: Asked) => {
  const { isSessionFailure } = useSessionEnd();
  const { filter, q, sort } = query;
  const key = accountId && JSON.stringify([accountId, filter, sort, q]);
  const shown = useRef<{ key: string | null; list: Listed } | null>(null);
  const call = useScreenCall(key, async (signal): Promise<Listed> => {
    const path = (limit: number) => postsPath(accountId ?? "", query, { limit: String(limit), counts: "true" });
    const before = () => (shown.current?.key === key ? shown.current.list : null);
    const wanted = before()?.held.length ?? 0;
    const head = await readHead(path, wanted, (one) => readPage(one, mark, signal));
    return wanted > HEAD_MAX ? keepTail(head, before(), sort) : head;
  });
  const [grown, setGrown] = useState<Grown | null>(null);
  const [more, setMore] = useState<{ from: Listed; error: unknown } | null>(null);
  const list = grown && grown.from === call.data ? grown.list : call.data;
  shown.current = list && { key, list };

  const from = call.data;
  const latest = useRef(from);
  latest.current = from;
  const isReadingMore = more !== null && more.from === from && more.error === null;
  const readMore = useCallback(async () => {
    if (!from || !list?.nextPath || isReadingMore) return;
    setMore({ from, error: null });
    try {
      const page = await readPage(list.nextPath, mark);
      // A page of a search that is left must not take away how far the next one was scrolled.
      if (latest.current !== from) return;
      setGrown({ from, list: appendPage(list, page) });
      setMore(null);
    } catch (error) {
      if (!isSessionFailure(error) && latest.current === from) setMore({ from, error });
    }
  }, [from, list, isReadingMore, mark, isSessionFailure]);
  return { call, list, readMore, isReadingMore, moreError: more && more.from === from ? more.error : null };
};

/** What is shown until there is an answer: the first paint, or what another search or order found in the same place. */
const useBefore = (
  answered: Listed | null,
  { accountId, query, first }: { accountId: string | null; query: WallQuery; first: FirstPosts },
): Listed | null => {
  const painted = useMemo((): Listed | null => {
    if (!first.posts) return null;
    const { posts, counts = null } = first.posts;
    return { held: posts.map((post) => ({ post, askedAt: 0 })), askedAt: 0, nextPath: null, counts };
  }, [first.posts]);
  const place = `${accountId} ${query.filter}`;
  const before = useRef({ place: `${first.accountId} ${first.query.filter}`, list: painted });
  if (answered) before.current = { place, list: answered };
  return before.current.place === place ? before.current.list : null;
};

/**
 * The posts of an account that a search finds, in an order, page by page: as the documented call answers, then as the
 * live stream tells it; those whose time has come are asked for again every three seconds.
 */
export const usePosts = (accountId: string | null, query: WallQuery, first: FirstPosts): Posts => {
  const live = useLiveRows<PostWire>((news) => {
    if (news.kind === "post") return { id: news.data.id, value: news.data };
    return news.kind === "post_removed" ? { id: news.data.id, value: null } : null;
  });
  const { rows } = live;
  const { call, list: answered, readMore, isReadingMore, moreError } = useListed({ accountId, query, live });
  const { reload } = call;
  useStream(({ kind }) => {
    // Whether pins wait for their account stands with each of them.
    if (kind === "reset" || kind === "account") reload();
  });
  const before = useBefore(answered, { accountId, query, first });
  const list = answered ?? (call.isLoading ? before : null);

  const posts = useMemo(() => list && mergePosts(list.held, rows), [list, rows]);
  const newCount = useMemo(() => {
    if (!answered) return 0;
    const belongs = (post: PostWire) => belongsTo(post, accountId, query);
    return countNew(answered, rows, { belongs, sort: query.sort });
  }, [answered, rows, accountId, query]);
  const counts = useCounts(accountId, query, { counts: list?.counts ?? null, news: rows });
  useWatch({ accountId, posts: posts ?? NONE, live });
  const isEmpty = answered?.held.length === 0;
  useEffect(() => {
    // Nothing is there that could be pushed away.
    if (isEmpty && newCount > 0) reload();
  }, [isEmpty, newCount, reload]);
  return {
    answer: call.data,
    posts,
    isStale: query !== first.query && list !== null && answered === null,
    counts,
    newCount,
    error: call.error,
    isLoading: call.isLoading && list === null,
    reload,
    hasMore: answered?.nextPath !== null && answered !== null,
    isReadingMore,
    moreError,
    readMore,
    live,
  };
};

/** Tells which posts have been published since the screen first saw them otherwise. */
export const useFreshlyPublished = (posts: readonly PostWire[]): ((post: PostWire) => boolean) => {
  const firstSeen = useRef(new Map<string, string>());
  for (const post of posts) if (!firstSeen.current.has(post.id)) firstSeen.current.set(post.id, post.status);
  return (post) => post.status === "published" && firstSeen.current.get(post.id) !== "published";
};
