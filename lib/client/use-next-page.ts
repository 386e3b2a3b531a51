"use client";

import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { isSessionEnd } from "./use-api-query.ts";

interface Pages<L> {
  /** Where the list is kept. */
  queryKey: QueryKey;
  /** The list as it is shown; null while nothing has answered. */
  list: L | null;
  read: (path: string) => Promise<L>;
  append: (before: L, page: L) => L;
}

/** The page after those of a list that are there. */
export interface NextPage {
  hasMore: boolean;
  isReading: boolean;
  error: unknown;
  read: () => void;
}

/** Reads a list on, page by page. A page of a list that was left meanwhile, or read anew, is dropped. */
export const useNextPage = <L extends { nextPath: string | null }>({
  queryKey,
  list,
  read,
  append,
}: Pages<L>): NextPage => {
  const client = useQueryClient();
  const { mutate, variables, isPending, error } = useMutation({
    mutationFn: ({ path }: { path: string; list: L; queryKey: QueryKey }) => read(path),
    onSuccess: (page, asked) =>
      client.setQueryData<L>(asked.queryKey, (now) => (now?.nextPath === asked.path ? append(now, page) : undefined)),
  });
  const path = list?.nextPath ?? null;
  const isReading = isPending && variables.path === path;
  return {
    hasMore: path !== null,
    isReading,
    error: variables?.list === list && !isSessionEnd(error) ? error : null,
    read: () => {
      if (list && path !== null && !isReading) mutate({ path, list, queryKey });
    },
  };
};
