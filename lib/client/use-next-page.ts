"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { isSessionEnd } from "./use-api-query.ts";

interface Pages<L> {
  queryKey: QueryKey;
  /** The list as shown; null until it has loaded. */
  list: L | null;
  read: (path: string) => Promise<L>;
  append: (before: L, page: L) => L;
  /** Identifies the response that the list came from, when the list itself changes between responses. */
  answer?: unknown;
}

export interface NextPage {
  hasMore: boolean;
  isReading: boolean;
  error: unknown;
  read: () => void;
}

/** Appends the next page to a list. A page is dropped when the list was closed or refetched in the meantime. */
export const useNextPage = <L extends { nextPath: string | null }>({
  queryKey,
  list,
  read,
  append,
  answer = list,
}: Pages<L>): NextPage => {
  const client = useQueryClient();
  const { mutate, variables, isPending, error } = useMutation({
    mutationFn: ({ path }: { path: string; answer: unknown; queryKey: QueryKey }) => read(path),
    onSuccess: (page, request) =>
      client.setQueryData<L>(request.queryKey, (now) =>
        now?.nextPath === request.path ? append(now, page) : undefined,
      ),
  });
  const path = list?.nextPath ?? null;
  const isReading = isPending && variables.path === path;
  return {
    hasMore: path !== null,
    isReading,
    error: variables?.path === path && variables.answer === answer && !isSessionEnd(error) ? error : null,
    read: () => {
      if (list && path !== null && !isReading) mutate({ path, answer, queryKey });
    },
  };
};
