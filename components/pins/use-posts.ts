"use client";

import { useEffect, useRef } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { api } from "#lib/client/api.ts";
import type { CallState } from "#lib/client/use-call.ts";
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

/** The posts of an account in a state; asked again every three seconds around the time when one of them goes out. */
export const usePosts = (accountId: string | null, filter: PostFilter, first: FirstPosts): CallState<PostsWire> => {
  const key = accountId && `${accountId} ${filter}`;
  const call = useScreenCall(key, (signal) =>
    api.get<PostsWire>(`/api/users/pinterest/generated-pins/${accountId}/?status=${filter}`, signal),
  );
  const { data, error, reload } = call;
  useEffect(() => {
    const waitMs = data && nextLookMs(data.posts, Date.now());
    if (waitMs === null) return;
    const timer = setTimeout(reload, error === null ? waitMs : Math.max(waitMs, IDLE_MS));
    return () => clearTimeout(timer);
  }, [data, error, reload]);
  const isFirst = call.isLoading && accountId === first.accountId && filter === first.filter && first.posts !== null;
  return isFirst ? { ...call, data: first.posts, isLoading: false } : call;
};

/** Tells which posts have been published since the screen first saw them otherwise. */
export const useFreshlyPublished = (posts: readonly PostWire[]): ((post: PostWire) => boolean) => {
  const firstSeen = useRef(new Map<string, string>());
  for (const post of posts) if (!firstSeen.current.has(post.id)) firstSeen.current.set(post.id, post.status);
  return (post) => post.status === "published" && firstSeen.current.get(post.id) !== "published";
};
