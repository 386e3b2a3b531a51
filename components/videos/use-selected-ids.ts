"use client";

import { useCallback, useState } from "react";
import { showToast } from "#components/ui/toaster.tsx";
import { COPIED_MS, copyFailed, VIDEO_TEXTS } from "./video-texts.ts";

/** Copies a video's URL and shows a toast for two seconds; failures are reported to the screen. */
export const useCopy = (onFailed: (text: string) => void): ((url: string) => Promise<void>) =>
  useCallback(
    async (url: string) => {
      try {
        // Without HTTPS there is no clipboard.
        await navigator.clipboard.writeText(url);
        showToast(VIDEO_TEXTS.copied, { hasCheck: true, durationMs: COPIED_MS });
      } catch (error) {
        onFailed(copyFailed(error instanceof Error ? error.message : String(error)));
      }
    },
    [onFailed],
  );

interface SelectedIds<I> {
  ids: ReadonlySet<I>;
  toggle: (id: I) => void;
  /** Selects or deselects all of these. */
  set: (ids: readonly I[], isChosen: boolean) => void;
  clear: () => void;
}

/** The selected ids of a list, in the order of selection. */
export const useSelectedIds = <I>(): SelectedIds<I> => {
  const [ids, setIds] = useState<ReadonlySet<I>>(new Set());
  const set = useCallback(
    (some: readonly I[], isChosen: boolean) =>
      setIds((before) => {
        const next = new Set(before);
        for (const id of some) {
          if (isChosen) next.add(id);
          else next.delete(id);
        }
        return next;
      }),
    [],
  );
  const toggle = useCallback(
    (id: I) =>
      setIds((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  return { ids, toggle, set, clear: useCallback(() => setIds(new Set()), []) };
};
