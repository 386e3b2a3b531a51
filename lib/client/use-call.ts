"use client";

import { useCallback, useEffect, useRef, useState } from "react";

/** Where a call stands. `stale` data stays in view while the next answer is on its way. */
export interface CallState<T> {
  data: T | null;
  error: unknown;
  isLoading: boolean;
  /** What failed or was answered is being asked again. */
  isReloading: boolean;
  /** Asks again. */
  reload: () => void;
}

interface Latest<T> {
  key: string | null;
  turn: number;
  data: T | null;
  error: unknown;
}

/**
 * Makes a call when the screen loads and whenever its key changes; a null key makes none (DESIGN §7: each screen
 * makes its documented call on load, whose answer or failure replaces the first paint).
 */
export const useCall = <T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): CallState<T> => {
  const [latest, setLatest] = useState<Latest<T>>({ key: null, turn: 0, data: null, error: null });
  const [turn, setTurn] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;

  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    asking.current(abort.signal).then(
      (data) => !abort.signal.aborted && setLatest({ key, turn, data, error: null }),
      (error: unknown) =>
        !abort.signal.aborted &&
        setLatest((before) => ({ key, turn, data: before.key === key ? before.data : null, error })),
    );
    return () => abort.abort();
  }, [key, turn]);

  const isCurrent = latest.key === key;
  return {
    data: isCurrent ? latest.data : null,
    error: isCurrent ? latest.error : null,
    isLoading: key !== null && !isCurrent,
    isReloading: key !== null && isCurrent && latest.turn !== turn,
    reload: useCallback(() => setTurn((before) => before + 1), []),
  };
};
