"use client";

import { useCallback, useMemo, useState } from "react";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** The chosen drafts in the order in which they were chosen, which is the order they go out. */
export interface Selection {
  ids: string[];
  /** Place from 1, or undefined. */
  placeOf: (id: string) => number | undefined;
  toggle: (id: string) => void;
  selectAllDrafts: () => void;
  clear: () => void;
  /** Chooses these again, before whatever was chosen since: the undoing of `clear`. */
  restore: (ids: readonly string[]) => void;
}

/** Keeps the selection among posts. What is no longer a draft falls out of it by itself (R-POST-09). */
export const useSelection = (posts: readonly PostWire[]): Selection => {
  const [chosen, setChosen] = useState<string[]>([]);
  const drafts = useMemo(() => posts.filter(({ status }) => status === "draft").map(({ id }) => id), [posts]);
  const ids = useMemo(() => chosen.filter((id) => drafts.includes(id)), [chosen, drafts]);
  return {
    ids,
    placeOf: (id) => {
      const at = ids.indexOf(id);
      return at < 0 ? undefined : at + 1;
    },
    toggle: useCallback(
      (id) => setChosen((before) => (before.includes(id) ? before.filter((one) => one !== id) : [...before, id])),
      [],
    ),
    selectAllDrafts: useCallback(
      () =>
        setChosen((before) => [
          ...before.filter((id) => drafts.includes(id)),
          ...drafts.filter((id) => !before.includes(id)),
        ]),
      [drafts],
    ),
    clear: useCallback(() => setChosen([]), []),
    restore: useCallback(
      (before) => setChosen((since) => [...before, ...since.filter((id) => !before.includes(id))]),
      [],
    ),
  };
};
