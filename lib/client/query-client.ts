import { type DefaultOptions, MutationCache, QueryCache, QueryClient, type QueryKey } from "@tanstack/react-query";

const defaultOptions: DefaultOptions = {
  queries: {
    // Callers name their own pauses; without them a failure is told at once.
    retry: false,
    networkMode: "always",
    // A screen that is opened again begins with the server's first paint, not with an older answer.
    gcTime: 0,
    structuralSharing: false,
    refetchOnMount: "always",
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchIntervalInBackground: true,
  },
  mutations: { retry: false, networkMode: "always", gcTime: 0 },
};

/** The cache of server state. `onError` hears of each failure; `isQuiet` of a query's meta says not to mention it. */
export const createQueryClient = (onError: (error: unknown, isQuiet: boolean) => void): QueryClient =>
  new QueryClient({
    defaultOptions,
    queryCache: new QueryCache({ onError: (error, { meta }) => onError(error, meta?.isQuiet === true) }),
    mutationCache: new MutationCache({ onError: (error) => onError(error, false) }),
  });

/** Asks again what is on the screen; an answer that is still on its way was asked for too early and is dropped. */
export const readAgain = (client: QueryClient, queryKey: QueryKey): Promise<void> => {
  const filters = { queryKey, type: "active" } as const;
  void client.cancelQueries(filters, { revert: false, silent: true });
  return client.refetchQueries(filters);
};

/** Keeps what is known now; an answer that is still on its way was asked for before, and is dropped. */
export const learn = <T>(client: QueryClient, queryKey: QueryKey, value: T): void => {
  void client.cancelQueries({ queryKey });
  client.setQueryData<T>(queryKey, value);
};
