"use client";

import { hashKey, type QueryKey, type UseQueryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ApiError } from "./api.ts";
import { type Polling, pollingOptions } from "./polling.ts";
import { readAgain } from "./query-client.ts";

/** Where a call stands. Data stays in view while the next answer is on its way. */
export interface ApiQuery<T> {
  data: T | null;
  error: unknown;
  /** Nothing has answered yet, not even with a failure. */
  isLoading: boolean;
  /** What failed or was answered is being asked again. */
  isReloading: boolean;
  /** The data is that of another key, until this one is answered. */
  isPlaceholder: boolean;
  /** Asks again. */
  reload: () => Promise<void>;
}

interface Options<T>
  extends Pick<UseQueryOptions<T, unknown>, "initialData" | "placeholderData" | "refetchOnWindowFocus" | "meta"> {
  /** Asks again and again. */
  polling?: Polling<T>;
}

const NO_KEY: QueryKey = ["none"];
/** Whether a call failed because the login has ended. */
export const isSessionEnd = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/**
 * Makes a call when the screen loads and whenever its key changes; a null key makes none (DESIGN §7: each screen makes
 * its documented call on load, whose answer or failure replaces the first paint). A 401 ends the session and is not the
 * screen's to tell (R-AUTH-04).
 */
export const useApiQuery = <T>(
  key: QueryKey | null,
  ask: (signal: AbortSignal) => Promise<T>,
  { polling, ...options }: Options<T> = {},
): ApiQuery<T> => {
  const client = useQueryClient();
  const queryKey = key ?? NO_KEY;
  const hash = hashKey(queryKey);
  const query = useQuery<T, unknown>({
    ...options,
    ...(polling && pollingOptions(polling, () => client.getQueryState<T, unknown>(queryKey))),
    queryKey,
    queryFn: ({ signal }) => ask(signal),
    enabled: key !== null,
  });
  // The library forgets a failure as soon as it is asked again: here it stays in view until there is an answer.
  const [failed, setFailed] = useState<{ hash: string; error: unknown } | null>(null);
  if (query.error !== null && failed?.error !== query.error) setFailed({ hash, error: query.error });
  else if (failed !== null && failed.hash !== hash) setFailed(null);
  const isKept = failed?.hash === hash && query.isFetching && query.isPending;
  const error = query.error ?? (isKept ? failed.error : null);
  const isLoading = key !== null && query.isPending && error === null;
  return {
    data: error !== null && query.isPlaceholderData ? null : (query.data ?? null),
    error: isSessionEnd(error) ? null : error,
    isLoading: isLoading || (query.isPlaceholderData && error === null),
    isReloading: query.isFetching && !isLoading && !query.isPlaceholderData,
    isPlaceholder: query.isPlaceholderData,
    // biome-ignore lint/correctness/useExhaustiveDependencies: the hash stands for the key
    reload: useMemo(() => () => readAgain(client, queryKey), [client, hash]),
  };
};
