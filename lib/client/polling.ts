import type { QueryState } from "@tanstack/react-query";

export interface Polling<T> {
  everyMs: (value: T) => number;
  isDone: (value: T) => boolean;
  /** Milliseconds before the retry after one, two … failures in a row; the last one repeats. Empty: no retries. */
  pausesMs?: readonly number[];
  isTransient?: (error: unknown) => boolean;
}

type State<T> = QueryState<T, unknown>;

/** A failed first request stops polling, since the user waits. Later ones retry silently, then show the failure. */
export const pollingOptions = <T>(
  { everyMs, isDone, pausesMs = [], isTransient = () => true }: Polling<T>,
  stateOf: () => State<T> | undefined,
) => ({
  refetchInterval: ({ state: { data, error } }: { state: State<T> }): number | false => {
    if (data === undefined || (error === null && isDone(data))) return false;
    if (error === null) return everyMs(data);
    return (isTransient(error) && pausesMs.at(-1)) || false;
  },
  retry: (failures: number, error: unknown): boolean => {
    const state = stateOf();
    return state?.data !== undefined && state.error === null && isTransient(error) && failures < pausesMs.length - 1;
  },
  retryDelay: (failures: number): number => pausesMs[failures] ?? 0,
});
