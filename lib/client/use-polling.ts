"use client";

import { useEffect, useRef, useState } from "react";
import { type Polling, poll } from "./poll.ts";

interface PollingOptions<T> extends Pick<Polling<T>, "everyMs" | "isDone" | "pausesMs" | "isPassing"> {
  /** What is asked about; a new one begins without the old one's answer. Null: no polling. */
  subject: string | null;
  /** Counts how often polling was taken up again; what was seen last stays in view. */
  attempt?: number;
  onDone?: (value: T) => void;
  onError?: (error: unknown) => void;
}

/**
 * Asks again and again: the next call waits `everyMs` after the last answer. Stopped by completion, by an error
 * that no pause is named for and by leaving the screen (R-TRK-02..05, section W).
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
    const { pausesMs = [], isPassing = () => true } = current.current.options;
    const isDone = (answer: T): boolean => {
      const isEnd = current.current.options.isDone(answer);
      if (isEnd) current.current.options.onDone?.(answer);
      return isEnd;
    };
    poll(
      {
        ask: (signal) => current.current.ask(signal),
        ...{ everyMs, pausesMs, isPassing, isDone },
        onAnswer: (answer) => setLatest({ subject, answer }),
        onError: (error) => current.current.options.onError?.(error),
      },
      abort.signal,
    );
    return () => abort.abort();
  }, [subject, everyMs, attempt]);

  return latest !== null && latest.subject === subject ? latest.answer : null;
};
