"use client";

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { api } from "#lib/client/api.ts";
import { mergeRows, nextSequence, refetchSoon } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { PAGE_MAX } from "#lib/features/pins/constants.ts";
import type { PostsWire, PostWire } from "#lib/features/pins/schema.ts";
import { IDLE_MS, nextLook } from "./next-look.ts";
import type { Selection } from "./use-selection.ts";
import { postsPath } from "./wall-list.ts";

/** Reads posts with these ids as they are now into the cache; one that is gone is gone there too. @throws ApiError */
const lookAgain = async (
  client: QueryClient,
  accountId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const requestedAt = nextSequence();
  const answer = await api.get<PostsWire>(postsPath(accountId, {}, { ids: ids.join(",") }), signal);
  const found = new Map(answer.posts.map((post) => [post.id, post]));
  const rows = ids.map((id) => ({ id, value: found.get(id) ?? null }));
  mergeRows(client, queryKeys.postRows, rows, requestedAt);
  refetchSoon(client, queryKeys.postCounts);
};

/** Asks again for the posts whose time has come, every three seconds around it, for whoever hears nothing. */
export const useWatch = (accountId: string | null, posts: readonly PostWire[]): void => {
  const client = useQueryClient();
  useQuery({
    queryKey: ["posts-due", accountId],
    queryFn: async ({ signal }) => {
      const look = nextLook(posts, Date.now());
      if (accountId !== null && look) await lookAgain(client, accountId, look.ids, signal);
      return null;
    },
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchInterval: ({ state }) => {
      const look = accountId === null ? null : nextLook(posts, Date.now());
      if (!look) return false;
      return state.error === null ? look.inMs : Math.max(look.inMs, IDLE_MS);
    },
  });
};

interface Chosen {
  accountId: string | null;
  selection: Selection;
  shown: readonly PostWire[];
}

/**
 * Whenever the list was read (`answer` is another), asks for those chosen drafts that are not on it: what happened to
 * them meanwhile only the stream would have told. A failure says nothing: scheduling looks at each of them again.
 */
export const useChosenLook = (answer: number | null, { accountId, selection, shown }: Chosen): void => {
  const client = useQueryClient();
  const { isSessionFailure } = useSessionEnd();
  const look = useEffectEvent((signal: AbortSignal) => {
    if (!accountId) return;
    const ids = new Set(shown.map(({ id }) => id));
    const missing = selection.ids.filter((id) => !ids.has(id));
    for (let at = 0; at < missing.length; at += PAGE_MAX) {
      lookAgain(client, accountId, missing.slice(at, at + PAGE_MAX), signal).catch(isSessionFailure);
    }
  });
  useEffect(() => {
    if (answer === null) return;
    const abort = new AbortController();
    look(abort.signal);
    return () => abort.abort();
  }, [answer]);
};
