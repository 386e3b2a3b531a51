"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { showToast } from "#components/ui/toaster.tsx";
import type { Saved } from "#components/videos/use-saved.ts";
import { countOf } from "#components/videos/video-texts.ts";
import { api } from "#lib/client/api.ts";
import { callAction } from "#lib/client/call-action.ts";
import { deleteVideosAction, restoreVideosAction } from "#lib/features/videos/actions.ts";
import { CHOSEN_MAX, SAVED_VIDEO_CALL, TEXTS } from "#lib/features/videos/constants.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";

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
