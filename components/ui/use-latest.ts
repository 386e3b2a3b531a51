"use client";

import { type RefObject, useCallback, useEffect, useRef } from "react";

/** Returns a ref that becomes true on unmount, when `onUnmount` runs. */
export function useUnmounted(onUnmount?: () => void): RefObject<boolean> {
  const isUnmounted = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: run on mount and unmount only
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      onUnmount?.();
    };
  }, []);
  return isUnmounted;
}

/**
 * Makes debounced calls one at a time. Of the inputs that arrive during a call only the newest is used, and outdated
 * results are dropped.
 */
export function useLatest<A, R>(
  call: (input: A) => Promise<R>,
  onResult: (result: R, input: A) => void,
): (input: A, delayMs: number) => void {
  const next = useRef<{ input: A } | null>(null);
  const isBusy = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isUnmounted = useUnmounted(() => clearTimeout(timer.current));

  const run = useCallback(async (): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    while (next.current && !isUnmounted.current) {
      const { input } = next.current;
      next.current = null;
      const result = await call(input);
      if (!next.current && !isUnmounted.current) onResult(result, input);
    }
    isBusy.current = false;
  }, [call, onResult, isUnmounted]);

  return useCallback(
    (input, delayMs) => {
      next.current = { input };
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void run(), delayMs);
    },
    [run],
  );
}
