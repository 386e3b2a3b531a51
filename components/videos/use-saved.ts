"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { showToast } from "#components/ui/toaster.tsx";
import { useStable } from "#components/ui/use-stable.ts";
import { api, callAction } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { useNextPage } from "#lib/client/use-next-page.ts";
import { deleteVideosAction, restoreVideosAction } from "#lib/features/videos/actions.ts";
import { CHOSEN_MAX, SAVED_VIDEO_CALL, TEXTS } from "#lib/features/videos/constants.ts";
import type { SavedVideosWire, SavedVideoWire } from "#lib/features/videos/schema.ts";
import { listOf, type SavedList, type SavedQuery, savedPath, withoutVideos } from "./saved-query.ts";
import { countOf } from "./video-texts.ts";

type Around = Pick<Saved, "takeAway" | "bringBack" | "reload"> & { onFailed: (text: string) => void };

const chunksOf = (videos: readonly SavedVideoWire[]): SavedVideoWire[][] =>
  Array.from({ length: Math.ceil(videos.length / CHOSEN_MAX) }, (_, at) =>
    videos.slice(at * CHOSEN_MAX, (at + 1) * CHOSEN_MAX),
  );

const idsOf = (videos: readonly SavedVideoWire[]): string[] => videos.map(({ id }) => id);

/** Takes deleted videos out of the list, and offers to bring them back. */
const useUndo = ({ takeAway, bringBack, reload, onFailed }: Around) => {
  const restore = async (videos: readonly SavedVideoWire[]) => {
    for (const some of chunksOf(videos)) {
      const answer = await callAction(restoreVideosAction({ ids: idsOf(some) }));
      if (!answer.ok) {
        onFailed(answer.text);
        return reload();
      }
    }
    bringBack(videos);
    showToast(videos.length === 1 ? "Video is back" : `${countOf(videos.length, "video")} are back`);
  };
  return (videos: readonly SavedVideoWire[]) => {
    takeAway(videos);
    const text = videos.length === 1 ? "Video deleted" : `${countOf(videos.length, "video")} deleted`;
    showToast(text, { hasCheck: true, onUndo: () => void restore(videos) });
  };
};

/** Deletes saved videos, one by the documented call or many at once, with an Undo (R-SAV-10, R-SAV-13). */
export const useSavedDeletion = ({ takeAway, bringBack, reload, onFailed }: Around) => {
  const { isSessionFailure } = useSessionEnd();
  const [isDeleting, setDeleting] = useState(false);

  const gone = useUndo({ takeAway, bringBack, reload, onFailed });

  /** @returns whether it is gone */
  const removeOne = async (video: SavedVideoWire): Promise<boolean> => {
    setDeleting(true);
    try {
      await api.delete(`${SAVED_VIDEO_CALL}${video.id}/`);
      gone([video]);
      return true;
    } catch (error) {
      if (!isSessionFailure(error)) onFailed(TEXTS.deleteFailed);
      return false;
    } finally {
      setDeleting(false);
    }
  };

  /** Those that could be deleted go; the first refusal is told. @returns whether all are gone */
  const removeAll = async (videos: readonly SavedVideoWire[]): Promise<boolean> => {
    setDeleting(true);
    const done: SavedVideoWire[] = [];
    let refusal: string | null = null;
    for (const some of chunksOf(videos)) {
      const answer = await callAction(deleteVideosAction({ ids: idsOf(some) }));
      if (answer.ok) done.push(...some);
      else refusal ??= answer.text;
    }
    setDeleting(false);
    if (done.length > 0) gone(done);
    if (refusal !== null) onFailed(refusal);
    return refusal === null;
  };

  return { isDeleting, removeOne, removeAll };
};

/** What the server put on the first paint, and what it was asked for. */
export type FirstSaved = { query: SavedQuery; list: SavedList };

/** A list as it was answered, and what was deleted here since: an Undo brings it back to its place. */
type Kept = SavedList & { gone: readonly SavedVideoWire[] };

const readPage = async (path: string, signal?: AbortSignal): Promise<Kept> => {
  const { body, next } = await api.getPage<SavedVideosWire>(path, signal);
  return { ...listOf(body, next), gone: [] };
};

const append = (before: Kept, { videos, nextPath }: Kept): Kept => ({
  ...before,
  videos: [...before.videos, ...videos],
  nextPath,
});

/** The saved videos that a search and a hashtag let through, page by page, and what was done to them here. */
export const useSaved = (first: FirstSaved) => {
  const client = useQueryClient();
  const [query, setQuery] = useState(first.query);
  const path = savedPath(query);
  const queryKey = [...queryKeys.savedVideos, path];
  const call = useApiQuery(queryKey, (signal) => readPage(path, signal), {
    placeholderData: (before) => before ?? { ...first.list, gone: [] },
  });
  const { data, error } = call;
  const reload = useStable(() => void call.reload());
  const list = useMemo(() => data && withoutVideos(data, data.gone), [data]);
  const change = (part: (before: Kept) => Partial<Kept>) => {
    // The answer that is on its way was asked for before this.
    if (!client.getQueryData<Kept>(queryKey)) return reload();
    client.setQueryData<Kept>(queryKey, (before) => before && { ...before, ...part(before) });
  };
  const takeAway = useStable((videos: readonly SavedVideoWire[]) =>
    change(({ gone }) => ({ gone: [...gone, ...videos] })),
  );
  const bringBack = useStable((videos: readonly SavedVideoWire[]) => {
    // What another search has answered since does not have them.
    if (!videos.every((one) => data?.gone.includes(one))) return reload();
    change(({ gone }) => ({ gone: gone.filter((one) => !videos.includes(one)) }));
  });
  const replace = useStable((video: SavedVideoWire) =>
    change(({ videos }) => ({ videos: videos.map((one) => (one.id === video.id ? video : one)) })),
  );
  return {
    query,
    narrow: useCallback((part: Partial<SavedQuery>) => setQuery((before) => ({ ...before, ...part })), []),
    list,
    hasFailed: error !== null,
    /** What is shown was found by another search. */
    isStale: call.isLoading && query !== first.query,
    reload,
    more: useNextPage({ queryKey, list: call.isPlaceholder ? null : data, read: readPage, append }),
    takeAway,
    bringBack,
    replace,
  };
};

export type Saved = ReturnType<typeof useSaved>;
