/** How to ask again and again. */
export interface Polling<T> {
  ask: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds from an answer to the next call. */
  everyMs: number;
  /** Ends it. */
  isDone: (value: T) => boolean;
  /** Milliseconds to the next call after one, two … failures in a row; past the last one that stays. None: a failure ends it. */
  pausesMs?: readonly number[];
  /** Whether asking again can help at all. */
  isPassing?: (error: unknown) => boolean;
  onAnswer: (value: T) => void;
  /** Hears of failures that end it, and of those that all the pauses did not help against. */
  onError: (error: unknown) => void;
}

/**
 * Asks until it is done or given up. Failures between answers are waited for in silence with growing pauses; that of the
 * first call, on which somebody waits, ends it and is told.
 */
export const poll = <T>(polling: Polling<T>, signal: AbortSignal): void => {
  const { ask, everyMs, isDone, pausesMs = [], isPassing = () => true, onAnswer, onError } = polling;
  let failures = 0;
  let hasAnswer = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener("abort", () => clearTimeout(timer));
  const later = (ms: number): void => {
    timer = setTimeout(() => void turn(), ms);
  };
  const fail = (error: unknown): void => {
    const pause = pausesMs[Math.min(failures, pausesMs.length - 1)];
    failures += 1;
    const isEnd = !hasAnswer || pause === undefined || !isPassing(error);
    if (isEnd || failures >= pausesMs.length) onError(error);
    if (!isEnd) later(pause);
  };
  const turn = async (): Promise<void> => {
    try {
      const answer = await ask(signal);
      if (signal.aborted) return;
      failures = 0;
      hasAnswer = true;
      onAnswer(answer);
      if (!isDone(answer)) later(everyMs);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  };
  void turn();
};
