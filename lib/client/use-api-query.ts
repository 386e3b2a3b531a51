"use client";

import { hashKey, type QueryKey, type UseQueryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ApiError } from "./api.ts";
import { type Polling, pollingOptions } from "./polling.ts";
import { refetchActive } from "./query-client.ts";

/** The state of a query. Data stays in view while it is refetched. */
export interface ApiQuery<T> {
  data: T | null;
  error: unknown;
  /** There is neither an answer nor a failure yet. */
  isLoading: boolean;
  /** It is being refetched after an answer or a failure. */
  isReloading: boolean;
  /** The data belongs to another key until this one is answered. */
  isPlaceholder: boolean;
  /** Refetches. */
  reload: () => Promise<void>;
}

interface Options<T>
  extends Pick<UseQueryOptions<T, unknown>, "initialData" | "placeholderData" | "refetchOnWindowFocus" | "meta"> {
  /** Repeats the request. */
  polling?: Polling<T>;
}

const NO_KEY: QueryKey = ["none"];
/** Whether a request failed because the session has ended. */
export const isSessionEnd = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/**
 * A query that runs when the screen loads and whenever its key changes; a null key disables it. Its answer or failure
 * replaces what the server rendered. A 401 ends the session, so the screen does not show it (R-AUTH-04).
 */
export const useApiQuery = <T>(
  key: QueryKey | null,
  fetcher: (signal: AbortSignal) => Promise<T>,
  { polling, placeholderData, ...options }: Options<T> = {},
): ApiQuery<T> => {
  const client = useQueryClient();
  const queryKey = key ?? NO_KEY;
  const hash = hashKey(queryKey);
  // TanStack Query asks a new function for the placeholder again, and a new placeholder would render again: one for each key.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the hash stands for the key
  const placeholder = useMemo(() => placeholderData, [hash]);
  const query = useQuery<T, unknown>({
    ...options,
    placeholderData: placeholder,
    ...(polling && pollingOptions(polling, () => client.getQueryState<T, unknown>(queryKey))),
    queryKey,
    queryFn: ({ signal }) => fetcher(signal),
    enabled: key !== null,
  });
  // TanStack Query drops a failure when a refetch begins; here it stays in view until the next answer.
  const [failed, setFailed] = useState<{ hash: string; error: unknown } | null>(null);
  if (query.error !== null && failed?.error !== query.error) setFailed({ hash, error: query.error });
  else if (failed !== null && failed.hash !== hash) setFailed(null);
  const isKept = failed?.hash === hash && query.isFetching && (query.isPending || query.isPlaceholderData);
  const error = query.error ?? (isKept ? failed.error : null);
  const isLoading = key !== null && query.isPending && error === null;
  return {
    data: error !== null && query.isPlaceholderData ? null : (query.data ?? null),
    error: isSessionEnd(error) ? null : error,
    isLoading: isLoading || (query.isPlaceholderData && error === null),
    isReloading: query.isFetching && !isLoading && (!query.isPlaceholderData || error !== null),
    isPlaceholder: query.isPlaceholderData,
    // biome-ignore lint/correctness/useExhaustiveDependencies: the hash stands for the key
    reload: useMemo(() => () => refetchActive(client, queryKey), [client, hash]),
  };
};
