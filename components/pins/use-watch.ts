"use client";

import { useEffect, useEffectEvent, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { api } from "#lib/client/api.ts";
import type { Live } from "#lib/client/use-stream.ts";
import { PAGE_MAX } from "#lib/features/pins/constants.ts";
import type { PostsWire, PostWire } from "#lib/features/pins/schema.ts";
import { IDLE_MS, nextLook } from "./next-look.ts";
import type { Selection } from "./use-selection.ts";
import { postsPath } from "./wall-list.ts";

interface Watched {
  accountId: string | null;
  posts: readonly PostWire[];
  live: Pick<Live<PostWire>, "mark" | "learn">;
}

/** Posts with these ids as they are now; one that is gone is told as gone. @throws ApiError */
const lookAgain = async (
  accountId: string,
  ids: readonly string[],
  { mark, learn }: Watched["live"],
  signal?: AbortSignal,
): Promise<void> => {
  const askedAt = mark();
  const answer = await api.get<PostsWire>(postsPath(accountId, {}, { ids: ids.join(",") }), signal);
  const found = new Map(answer.posts.map((post) => [post.id, post]));
  learn(
    ids.map((id) => ({ id, value: found.get(id) ?? null })),
    askedAt,
  );
};

/** Asks again for the posts whose time has come, every three seconds around it, for whoever hears nothing. */
export const useWatch = ({ accountId, posts, live }: Watched): void => {
  const { isSessionFailure } = useSessionEnd();
  const [last, setLast] = useState({ turn: 0, hasFailed: false });
  const { mark, learn } = live;
  useEffect(() => {
    const look = accountId === null ? null : nextLook(posts, Date.now());
    if (!accountId || !look) return;
    const abort = new AbortController();
    const run = async () => {
      let hasFailed = false;
      try {
        await lookAgain(accountId, look.ids, { mark, learn }, abort.signal);
      } catch (error) {
        if (abort.signal.aborted || isSessionFailure(error)) return;
        hasFailed = true;
      }
      setLast(({ turn }) => ({ turn: turn + 1, hasFailed }));
    };
    const timer = setTimeout(run, last.hasFailed ? Math.max(look.inMs, IDLE_MS) : look.inMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [accountId, posts, mark, learn, last, isSessionFailure]);
};

interface Chosen {
  accountId: string | null;
  selection: Selection;
  shown: readonly PostWire[];
  live: Pick<Live<PostWire>, "mark" | "learn">;
}

/**
 * Whenever the list was read (`answer` is another), asks for those chosen drafts that are not on it: what happened to
 * them meanwhile only the stream would have told. A failure says nothing: scheduling looks at each of them again.
 */
export const useChosenLook = (answer: unknown, { accountId, selection, shown, live }: Chosen): void => {
  const { isSessionFailure } = useSessionEnd();
  const look = useEffectEvent((signal: AbortSignal) => {
    if (!accountId) return;
    const ids = new Set(shown.map(({ id }) => id));
    const missing = selection.ids.filter((id) => !ids.has(id));
    for (let at = 0; at < missing.length; at += PAGE_MAX) {
      lookAgain(accountId, missing.slice(at, at + PAGE_MAX), live, signal).catch(isSessionFailure);
    }
  });
  useEffect(() => {
    if (answer === null) return;
    const abort = new AbortController();
    look(abort.signal);
    return () => abort.abort();
  }, [answer]);
};
