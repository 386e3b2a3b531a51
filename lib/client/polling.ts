import type { QueryState } from "@tanstack/react-query";

/** How to ask again and again. */
export interface Polling<T> {
  /** Milliseconds from an answer to the next call. */
  everyMs: (value: T) => number;
  /** Ends it. */
  isDone: (value: T) => boolean;
  /** Milliseconds to the next call after one, two … failures in a row; past the last one that stays. None: a failure ends it. */
  pausesMs?: readonly number[];
  /** Whether asking again can help at all. */
  isPassing?: (error: unknown) => boolean;
}

type State<T> = QueryState<T, unknown>;

/**
 * A query that is asked until it is done or given up. Failures between answers are waited for in silence with growing
 * pauses; that of the first call, on which somebody waits, ends it. One that all the pauses did not help against is
 * told, and it goes on.
 */
export const pollingOptions = <T>(
  { everyMs, isDone, pausesMs = [], isPassing = () => true }: Polling<T>,
  stateOf: () => State<T> | undefined,
) => ({
  refetchInterval: ({ state: { data, error } }: { state: State<T> }): number | false => {
    if (data === undefined || (error === null && isDone(data))) return false;
    if (error === null) return everyMs(data);
    return (isPassing(error) && pausesMs.at(-1)) || false;
  },
  retry: (failures: number, error: unknown): boolean => {
    const state = stateOf();
    return state?.data !== undefined && state.error === null && isPassing(error) && failures < pausesMs.length - 1;
  },
  retryDelay: (failures: number): number => pausesMs[failures] ?? 0,
});
