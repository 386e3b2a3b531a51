"use client";

import { useEffect, useRef, useState } from "react";

interface PollingOptions<T> {
  everyMs: number;
  /** Stops the polling once it holds. */
  isDone: (value: T) => boolean;
  /** What is asked about; a new one begins without the old one's answer. Null: no polling. */
  subject: string | null;
  /** Counts how often polling was taken up again; what was seen last stays in view. */
  attempt?: number;
  onDone?: (value: T) => void;
  onError?: (error: unknown) => void;
}

/**
 * Asks again and again: the next call waits `everyMs` after the last answer. Stopped by completion, by an error
 * and by leaving the screen (R-TRK-02..05, section W).
 */
export const usePolling = <T>(ask: (signal: AbortSignal) => Promise<T>, options: PollingOptions<T>): T | null => {
  const [latest, setLatest] = useState<{ subject: string; answer: T } | null>(null);
  const current = useRef({ ask, options });
  current.current = { ask, options };
  const { subject, everyMs, attempt = 0 } = options;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt asks again
  useEffect(() => {
    if (subject === null) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async () => {
      try {
        const answer = await current.current.ask(abort.signal);
        if (abort.signal.aborted) return;
        setLatest({ subject, answer });
        if (current.current.options.isDone(answer)) current.current.options.onDone?.(answer);
        else timer = setTimeout(turn, everyMs);
      } catch (error) {
        if (!abort.signal.aborted) current.current.options.onError?.(error);
      }
    };
    void turn();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [subject, everyMs, attempt]);

  return latest !== null && latest.subject === subject ? latest.answer : null;
};
