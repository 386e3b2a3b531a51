"use client";

import { useEffect, useRef, useState } from "react";
import { postsPath, type WallQuery } from "#components/pins/wall-list.ts";
import { api } from "#lib/client/api.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { PostCounts, PostsWire } from "#lib/features/pins/schema.ts";

/** Changes that come together are counted together. */
const PAUSE_MS = SECOND_MS;

/**
 * How many posts a search finds in each state: as the list's own call answered, and counted again soon after something
 * was told of. What cannot be counted stays as it was.
 */
export const useCounts = (
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
