"use client";

import { type RefObject, useCallback, useEffect, useRef } from "react";

/** True once the component is gone; `onGone` runs then. */
export function useGone(onGone?: () => void): RefObject<boolean> {
  const isGone = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only mounting and unmounting count
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      onGone?.();
    };
  }, []);
  return isGone;
}

/**
 * Makes calls one at a time, a moment after the last change: of those asked for meanwhile only the newest is made, and
 * only what is still wanted is told. The server is not asked faster than it answers.
 */
export function useLatest<A, R>(
  call: (asked: A) => Promise<R>,
  told: (answer: R, asked: A) => void,
): (asked: A, pauseMs: number) => void {
  const wanted = useRef<{ asked: A } | null>(null);
  const isBusy = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isGone = useGone(() => clearTimeout(timer.current));

  const run = useCallback(async (): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    while (wanted.current && !isGone.current) {
      const { asked } = wanted.current;
      wanted.current = null;
      const answer = await call(asked);
      if (!wanted.current && !isGone.current) told(answer, asked);
    }
    isBusy.current = false;
  }, [call, told, isGone]);

  return useCallback(
    (asked, pauseMs) => {
      wanted.current = { asked };
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void run(), pauseMs);
    },
    [run],
  );
}
