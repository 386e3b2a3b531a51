"use client";

import { useCallback, useState } from "react";
import { showToast } from "#components/ui/toaster.tsx";
import { COPIED_MS, copyFailed, VIDEO_TEXTS } from "./video-texts.ts";

/** Copies a video's address and says so for two seconds (R-VID-12); a failure is the screen's to tell (R-VID-13). */
export const useCopy = (onFailed: (text: string) => void): ((address: string) => Promise<void>) =>
  useCallback(
    async (address: string) => {
      try {
        // Where the page is not served safely there is no clipboard at all.
        await navigator.clipboard.writeText(address);
        showToast(VIDEO_TEXTS.copied, { hasCheck: true, durationMs: COPIED_MS });
      } catch (error) {
        onFailed(copyFailed(error instanceof Error ? error.message : String(error)));
      }
    },
    [onFailed],
  );

/** Which things of a list are chosen. */
interface Picks<I> {
  ids: ReadonlySet<I>;
  toggle: (id: I) => void;
  /** Chooses these as well, or lets them all go. */
  set: (ids: readonly I[], isChosen: boolean) => void;
  clear: () => void;
}

/** Keeps what is chosen in a list, in the order of choosing. */
export const usePicks = <I>(): Picks<I> => {
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
