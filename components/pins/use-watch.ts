"use client";

import { useEffect, useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { IDLE_MS, nextLook } from "#components/pins/next-look.ts";
import { postsPath } from "#components/pins/wall-list.ts";
import { api } from "#lib/client/api.ts";
import type { Live } from "#lib/client/use-stream.ts";
import type { PostsWire, PostWire } from "#lib/features/pins/schema.ts";

interface Watched {
  accountId: string | null;
  posts: readonly PostWire[];
  live: Pick<Live<PostWire>, "mark" | "learn">;
}

/** Posts with these ids as they are now; one that is gone is told as gone. @throws ApiError */
export const lookAgain = async (
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
