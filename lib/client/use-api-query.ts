"use client";

import { hashKey, type QueryKey, type UseQueryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ApiError } from "./api.ts";
import { type Polling, pollingOptions } from "./polling.ts";
import { refetchActive } from "./query-client.ts";

export interface ApiQuery<T> {
  data: T | null;
  error: unknown;
  isLoading: boolean;
  isReloading: boolean;
  /** The data belongs to another key until this key has data. */
  isPlaceholder: boolean;
  reload: () => Promise<void>;
}

interface Options<T>
  extends Pick<UseQueryOptions<T, unknown>, "initialData" | "placeholderData" | "refetchOnWindowFocus" | "meta"> {
  polling?: Polling<T>;
}

const NO_KEY: QueryKey = ["none"];
export const isSessionEnd = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** A null key disables it; its result replaces the server's. A 401 ends the session, so it is not an error here. */
export const useApiQuery = <T>(
  key: QueryKey | null,
  fetcher: (signal: AbortSignal) => Promise<T>,
  { polling, placeholderData, ...options }: Options<T> = {},
): ApiQuery<T> => {
  const client = useQueryClient();
  const queryKey = key ?? NO_KEY;
  const hash = hashKey(queryKey);
  // One placeholder per key: a new one on every render would cause another render.
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
  // TanStack Query drops a failure when a refetch starts; keep showing it until the next result.
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
