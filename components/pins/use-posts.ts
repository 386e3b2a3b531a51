"use client";

import { useEffect, useRef } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { api } from "#lib/client/api.ts";
import type { CallState } from "#lib/client/use-call.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import type { PostFilter } from "#lib/features/pins/constants.ts";
import type { PostsWire, PostWire } from "#lib/features/pins/schema.ts";

const WATCH_MS = 3 * SECOND_MS;
const SOON_MS = 2 * MINUTE_MS;

const isDueSoon = (post: PostWire, nowMs: number): boolean =>
  post.status === "scheduled" && post.scheduled_at !== null && Date.parse(post.scheduled_at) < nowMs + SOON_MS;

/** The posts of an account in a state, asked again every three seconds while one of them is about to go out. */
export const usePosts = (accountId: string | null, filter: PostFilter): CallState<PostsWire> => {
  const key = accountId && `${accountId} ${filter}`;
  const call = useScreenCall(key, (signal) =>
    api.get<PostsWire>(`/api/users/pinterest/generated-pins/${accountId}/?status=${filter}`, signal),
  );
  const { data, reload } = call;
  useEffect(() => {
    if (!data?.posts.some((post) => isDueSoon(post, Date.now()))) return;
    const timer = setTimeout(reload, WATCH_MS);
    return () => clearTimeout(timer);
  }, [data, reload]);
  return call;
};

/** Tells which posts have been published since the screen first saw them otherwise. */
export const useFreshlyPublished = (posts: readonly PostWire[]): ((post: PostWire) => boolean) => {
  const firstSeen = useRef(new Map<string, string>());
  for (const post of posts) if (!firstSeen.current.has(post.id)) firstSeen.current.set(post.id, post.status);
  return (post) => post.status === "published" && firstSeen.current.get(post.id) !== "published";
};
