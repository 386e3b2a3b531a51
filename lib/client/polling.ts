import type { QueryState } from "@tanstack/react-query";

/** How a query is repeated. */
export interface Polling<T> {
  /** Milliseconds from an answer to the next request. */
  everyMs: (value: T) => number;
  /** Whether an answer is the last one. */
  isDone: (value: T) => boolean;
  /** Milliseconds to the next request after one, two … failures in a row; the last one stays. Empty: a failure ends it. */
  pausesMs?: readonly number[];
  /** Whether a failure may pass. */
  isPassing?: (error: unknown) => boolean;
}

type State<T> = QueryState<T, unknown>;

/**
 * Options of a query that is repeated until it is done. A failure of the first request ends it, because somebody waits
 * for it. Later failures are retried silently with growing pauses; when all pauses are used up, the failure is shown
 * and the polling goes on.
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
