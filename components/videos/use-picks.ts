"use client";

import { useCallback, useState } from "react";

/** Which things of a list are chosen. */
export interface Picks<I> {
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
