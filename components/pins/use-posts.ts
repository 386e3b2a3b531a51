"use client";

import { useEffect, useMemo, useRef } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { api } from "#lib/client/api.ts";
import type { CallState } from "#lib/client/use-call.ts";
import { type LiveRows, useLiveRows, useStream } from "#lib/client/use-stream.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import type { PostFilter } from "#lib/features/pins/constants.ts";
import type { PostsWire, PostWire } from "#lib/features/pins/schema.ts";

const WATCH_MS = 3 * SECOND_MS;
const IDLE_MS = 30 * SECOND_MS;
const SOON_MS = 15 * SECOND_MS;
const LATE_MS = 2 * MINUTE_MS;
const LONGEST_MS = 15 * MINUTE_MS;

/** How long until something is likely to have changed: soon around a pin's time, slowly for one that is held up. */
const nextLookMs = (posts: readonly PostWire[], nowMs: number): number | null => {
  const waits = posts
    .filter(({ status }) => status === "scheduled")
    .map(({ scheduled_at }) => Date.parse(scheduled_at ?? "") - nowMs)
    .map((inMs) => (inMs < -LATE_MS ? IDLE_MS : inMs < SOON_MS ? WATCH_MS : inMs - SOON_MS));
  return waits.length === 0 ? null : Math.min(LONGEST_MS, ...waits);
};

type FirstPosts = { accountId: string | null; filter: PostFilter; posts: PostsWire | null };

/** Posts, and where the live stream stood when they were asked for. */
type MarkedPosts = PostsWire & { askedAt: number };

export interface Posts extends CallState<PostsWire> {
  /** How many posts of this list are not shown yet: they would push the others away, so they come with `reload`. */
  newCount: number;
}

/**
 * Posts as the live stream has told of them since. Each stays where it is, also when its new state belongs to another
 * list: nothing moves under the user's hand until the posts are asked for again.
 */
const mergePosts = ({ posts, askedAt }: MarkedPosts, rows: LiveRows<PostWire>): PostsWire => {
  const latest = (post: PostWire): PostWire | null => {
    const row = rows.get(post.id);
    return row && row.at > askedAt ? row.value : post;
  };
  return { posts: posts.map(latest).filter((post) => post !== null) };
};

const countNew = ({ posts, askedAt }: MarkedPosts, rows: LiveRows<PostWire>, belongs: (post: PostWire) => boolean) => {
  const shown = new Set(posts.map(({ id }) => id));
  return [...rows.values()].filter(({ at, value }) => at > askedAt && value && !shown.has(value.id) && belongs(value))
    .length;
};

/** Asks again around the time when one of the posts goes out, for whoever hears nothing. */
const useWatch = (data: PostsWire | null, error: unknown, reload: () => void): void => {
  useEffect(() => {
    const waitMs = data && nextLookMs(data.posts, Date.now());
    if (waitMs === null) return;
    const timer = setTimeout(reload, error === null ? waitMs : Math.max(waitMs, IDLE_MS));
    return () => clearTimeout(timer);
  }, [data, error, reload]);
};

/**
 * The posts of an account in a state: as the documented call answers, then as the live stream tells it; asked again
 * every three seconds around the time when one of them goes out.
 */
export const usePosts = (accountId: string | null, filter: PostFilter, first: FirstPosts): Posts => {
  const { rows, mark } = useLiveRows<PostWire>((news) => {
    if (news.kind === "post") return { id: news.data.id, value: news.data };
    return news.kind === "post_removed" ? { id: news.data.id, value: null } : null;
  });
  const call = useScreenCall(accountId && `${accountId} ${filter}`, async (signal): Promise<MarkedPosts> => {
    const askedAt = mark();
    const path = `/api/users/pinterest/generated-pins/${accountId}/?status=${filter}`;
    return { ...(await api.get<PostsWire>(path, signal)), askedAt };
  });
  const { reload } = call;
  useStream(({ kind }) => {
    if (kind === "reset") reload();
  });
  const isFirst = call.isLoading && accountId === first.accountId && filter === first.filter;
  const answer = useMemo(
    () => call.data ?? (isFirst && first.posts ? { ...first.posts, askedAt: 0 } : null),
    [call.data, isFirst, first.posts],
  );
  const data = useMemo(() => answer && mergePosts(answer, rows), [answer, rows]);
  const newCount = useMemo(() => {
    const belongs = (post: PostWire) => post.account_id === accountId && (filter === "all" || post.status === filter);
    return answer === null ? 0 : countNew(answer, rows, belongs);
  }, [answer, rows, accountId, filter]);
  useWatch(data, call.error, reload);
  const isEmpty = answer?.posts.length === 0;
  useEffect(() => {
    // Nothing is there that could be pushed away.
    if (isEmpty && newCount > 0) reload();
  }, [isEmpty, newCount, reload]);
  return { ...call, data, isLoading: call.isLoading && answer === null, newCount };
};

/** Tells which posts have been published since the screen first saw them otherwise. */
export const useFreshlyPublished = (posts: readonly PostWire[]): ((post: PostWire) => boolean) => {
  const firstSeen = useRef(new Map<string, string>());
  for (const post of posts) if (!firstSeen.current.has(post.id)) firstSeen.current.set(post.id, post.status);
  return (post) => post.status === "published" && firstSeen.current.get(post.id) !== "published";
};
