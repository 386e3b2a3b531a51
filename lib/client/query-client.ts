import { type DefaultOptions, MutationCache, QueryCache, QueryClient, type QueryKey } from "@tanstack/react-query";

const defaultOptions: DefaultOptions = {
  queries: {
    // Callers set their own retries; otherwise a failure is shown at once.
    retry: false,
    networkMode: "always",
    // A reopened screen starts with what the server rendered, not with older data.
    gcTime: 0,
    structuralSharing: false,
    refetchOnMount: "always",
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchIntervalInBackground: true,
  },
  mutations: { retry: false, networkMode: "always", gcTime: 0 },
};

export const createQueryClient = (onError: (error: unknown, isQuiet: boolean) => void): QueryClient =>
  new QueryClient({
    defaultOptions,
    queryCache: new QueryCache({ onError: (error, { meta }) => onError(error, meta?.isQuiet === true) }),
    mutationCache: new MutationCache({ onError: (error) => onError(error, false) }),
  });

/** Refetches the queries on screen. A running request is canceled, since its response may be too old. */
export const refetchActive = (client: QueryClient, queryKey: QueryKey): Promise<void> => {
  const filters = { queryKey, type: "active" } as const;
  void client.cancelQueries(filters, { revert: false, silent: true });
  return client.refetchQueries(filters);
};

/** Writes a value that is newer than any running request, which is canceled. */
export const setKnown = <T>(client: QueryClient, queryKey: QueryKey, value: T): void => {
  void client.cancelQueries({ queryKey });
  client.setQueryData<T>(queryKey, value);
};
