"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { showToast } from "#components/ui/toaster.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { api, callAction } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { useNextPage } from "#lib/client/use-next-page.ts";
import { countOf } from "#lib/core/text.ts";
import { deleteVideosAction, restoreVideosAction } from "#lib/features/videos/actions.ts";
import { SAVED_VIDEO_PATH, SELECTION_MAX, TEXTS } from "#lib/features/videos/constants.ts";
import type { SavedVideosWire, SavedVideoWire } from "#lib/features/videos/schema.ts";
import { listOf, type SavedList, type SavedQuery, savedPath, withoutVideos } from "./saved-query.ts";

type DeletionOptions = Pick<Saved, "removeFromList" | "restoreToList" | "reload"> & {
  onFailed: (text: string) => void;
};

const chunksOf = (videos: readonly SavedVideoWire[]): SavedVideoWire[][] =>
  Array.from({ length: Math.ceil(videos.length / SELECTION_MAX) }, (_, at) =>
    videos.slice(at * SELECTION_MAX, (at + 1) * SELECTION_MAX),
  );

const idsOf = (videos: readonly SavedVideoWire[]): string[] => videos.map(({ id }) => id);

/** Removes deleted videos from the list and offers Undo. */
const useUndo = ({ removeFromList, restoreToList, reload, onFailed }: DeletionOptions) => {
  const restore = async (videos: readonly SavedVideoWire[]) => {
    for (const some of chunksOf(videos)) {
      const answer = await callAction(restoreVideosAction({ ids: idsOf(some) }));
      if (!answer.ok) {
        onFailed(answer.text);
        return reload();
      }
    }
    restoreToList(videos);
    showToast(videos.length === 1 ? "Video restored" : `${countOf(videos.length, "video")} restored`);
  };
  return (videos: readonly SavedVideoWire[]) => {
    removeFromList(videos);
    const text = videos.length === 1 ? "Video deleted" : `${countOf(videos.length, "video")} deleted`;
    showToast(text, { hasCheck: true, onUndo: () => void restore(videos) });
  };
};

/** Deletes one saved video by the API, or many by an action, with Undo. */
export const useSavedDeletion = ({ removeFromList, restoreToList, reload, onFailed }: DeletionOptions) => {
  const { isSessionFailure } = useSessionEnd();
  const [isDeleting, setDeleting] = useState(false);

  const finishDeletion = useUndo({ removeFromList, restoreToList, reload, onFailed });

  /** @returns whether it was deleted */
  const deleteOne = async (video: SavedVideoWire): Promise<boolean> => {
    setDeleting(true);
    try {
      await api.delete(`${SAVED_VIDEO_PATH}${video.id}/`);
      finishDeletion([video]);
      return true;
    } catch (error) {
      if (!isSessionFailure(error)) onFailed(TEXTS.deleteFailed);
      return false;
    } finally {
      setDeleting(false);
    }
  };

  /** Deletes what it can and reports the first error. @returns whether all were deleted */
  const deleteAll = async (videos: readonly SavedVideoWire[]): Promise<boolean> => {
    setDeleting(true);
    const done: SavedVideoWire[] = [];
    let refusal: string | null = null;
    for (const some of chunksOf(videos)) {
      const answer = await callAction(deleteVideosAction({ ids: idsOf(some) }));
      if (answer.ok) done.push(...some);
      else refusal ??= answer.text;
    }
    setDeleting(false);
    if (done.length > 0) finishDeletion(done);
    if (refusal !== null) onFailed(refusal);
    return refusal === null;
  };

  return { isDeleting, deleteOne, deleteAll };
};

/** The server-rendered state. */
export type FirstSaved = { query: SavedQuery; list: SavedList };

/** A list with the videos deleted since, so that Undo restores their positions. */
type CachedList = SavedList & { deleted: readonly SavedVideoWire[] };

const readPage = async (path: string, signal?: AbortSignal): Promise<CachedList> => {
  const { body, next } = await api.getPage<SavedVideosWire>(path, signal);
  return { ...listOf(body, next), deleted: [] };
};

const append = (before: CachedList, { videos, nextPath }: CachedList): CachedList => ({
  ...before,
  videos: [...before.videos, ...videos],
  nextPath,
});

/** The filtered list of saved videos, page by page, with local changes applied. */
export const useSaved = (first: FirstSaved) => {
  const client = useQueryClient();
  const [query, setQuery] = useState(first.query);
  const path = savedPath(query);
  const queryKey = [...queryKeys.savedVideos, path];
  const call = useApiQuery(queryKey, (signal) => readPage(path, signal), {
    placeholderData: (before) => before ?? { ...first.list, deleted: [] },
  });
  const { data, error } = call;
  const reload = useStableCallback(() => void call.reload());
  const list = useMemo(() => data && withoutVideos(data, data.deleted), [data]);
  const change = (part: (before: CachedList) => Partial<CachedList>) => {
    // The pending response was requested before this change.
    if (!client.getQueryData<CachedList>(queryKey)) return reload();
    client.setQueryData<CachedList>(queryKey, (before) => before && { ...before, ...part(before) });
  };
  const removeFromList = useStableCallback((videos: readonly SavedVideoWire[]) =>
    change(({ deleted }) => ({ deleted: [...deleted, ...videos] })),
  );
  const restoreToList = useStableCallback((videos: readonly SavedVideoWire[]) => {
    // A list loaded since then does not contain them.
    if (!videos.every((one) => data?.deleted.includes(one))) return reload();
    change(({ deleted }) => ({ deleted: deleted.filter((one) => !videos.includes(one)) }));
  });
  const replace = useStableCallback((video: SavedVideoWire) =>
    change(({ videos }) => ({ videos: videos.map((one) => (one.id === video.id ? video : one)) })),
  );
  return {
    query,
    narrow: useCallback((part: Partial<SavedQuery>) => setQuery((before) => ({ ...before, ...part })), []),
    list,
    hasFailed: error !== null,
    /** The list still belongs to another search. */
    isStale: call.isLoading && query !== first.query,
    reload,
    more: useNextPage({ queryKey, list: call.isPlaceholder ? null : data, read: readPage, append }),
    removeFromList,
    restoreToList,
    replace,
  };
};

export type Saved = ReturnType<typeof useSaved>;
