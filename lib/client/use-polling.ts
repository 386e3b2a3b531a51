"use client";

import { useEffect, useRef, useState } from "react";

interface PollingOptions<T> {
  everyMs: number;
  /** Stops the polling once it holds. */
  isDone: (value: T) => boolean;
  /** No polling while false. */
  enabled: boolean;
  onDone?: (value: T) => void;
  onError?: (error: unknown) => void;
}

/**
 * Asks again and again: the next call waits `everyMs` after the last answer. Stopped by completion, by an error
 * and by leaving the screen (R-TRK-02..05, section W).
 */
export const usePolling = <T>(ask: (signal: AbortSignal) => Promise<T>, options: PollingOptions<T>): T | null => {
  const [value, setValue] = useState<T | null>(null);
  const latest = useRef({ ask, options });
  latest.current = { ask, options };
  const { enabled, everyMs } = options;

  useEffect(() => {
    if (!enabled) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async () => {
      try {
        const answer = await latest.current.ask(abort.signal);
        if (abort.signal.aborted) return;
        setValue(answer);
        if (latest.current.options.isDone(answer)) latest.current.options.onDone?.(answer);
        else timer = setTimeout(turn, everyMs);
      } catch (error) {
        if (!abort.signal.aborted) latest.current.options.onError?.(error);
      }
    };
    void turn();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [enabled, everyMs]);

  return value;
};
