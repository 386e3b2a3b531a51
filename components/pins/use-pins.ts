"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { api } from "#lib/client/api.ts";
import { type LiveRows, nextSequence, useLiveRows } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { type ApiQuery, useApiQuery } from "#lib/client/use-api-query.ts";
import { type NextPage, useNextPage } from "#lib/client/use-next-page.ts";
import type { PinCounts, PinsWire, PinWire } from "#lib/features/pins/schema.ts";
import {
  appendPage,
  belongsTo,
  countNew,
  headLimit,
  keepTail,
  type LoadedPins,
  mergePins,
  nextPagePath,
  type PinQuery,
  pinsPath,
} from "./pin-list.ts";
import { useDuePins } from "./use-due-pins.ts";

/** Matches the lists of a search in all filters and sort orders. */
const searchKey = (accountId: string, q: string) => [...queryKeys.pinLists, accountId, q];
const listKey = (accountId: string, { q, filter, sort }: PinQuery) => [...searchKey(accountId, q), filter, sort];

/**
 * Refreshes the counts per status soon after live events, in all cached lists that were not fetched since. On failure the
 * counts stay as they are.
 */
const useCountRefresh = (accountId: string | null, q: string): void => {
  const client = useQueryClient();
  useQuery({
    queryKey: [...queryKeys.pinCounts, accountId, q],
    queryFn: async ({ signal }) => {
      if (accountId === null) return null;
      const lists = client.getQueriesData<LoadedPins>({ queryKey: searchKey(accountId, q) });
      const path = pinsPath(accountId, { q }, { limit: "1", counts: "true" });
      const { counts } = await api.get<PinsWire>(path, signal);
      for (const [key, list] of lists) {
        client.setQueryData<LoadedPins>(key, (now) =>
          counts && now && now.counts === list?.counts ? { ...now, counts } : undefined,
        );
      }
      return null;
    },
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
  });
};

/** A reload fetches at most this many pins; the rest of a longer list stays as the live stream updates it. */
const HEAD_MAX = 1_000;

/** The server-rendered pins and the query that they answer. */
export type InitialPins = { accountId: string | null; query: PinQuery; pins: PinsWire | null };

export interface PinList extends Pick<ApiQuery<unknown>, "error" | "isLoading" | "reload"> {
  /** Changes with each fetch of the list; null before the first. */
  answer: number | null;
  /** Null while loading and after a failure. */
  pins: PinWire[] | null;
  /** The pins are still those of the previous search or sort order. */
  isStale: boolean;
  counts: PinCounts | null;
  /** Pins that `reload` would add. They are not inserted by themselves, so that nothing moves. */
  newCount: number;
  more: NextPage;
  /** Live updates of pins, in the list or not. */
  rows: LiveRows<PinWire>;
}

const readPage = async (path: string, signal?: AbortSignal): Promise<LoadedPins> => {
  const requestedAt = nextSequence();
  const { body, next } = await api.getPage<PinsWire>(path, signal);
  return {
    loaded: body.posts.map((pin) => ({ pin, requestedAt })),
    requestedAt,
    nextPath: nextPagePath(next),
    counts: body.counts ?? null,
  };
};

/** Reads at least one page, and as many pins as were loaded before. */
const readFirstPage = async (
  path: (limit: number) => string,
  wanted: number,
  read: (path: string) => Promise<LoadedPins>,
) => {
  let head = await read(path(headLimit(wanted)));
  while (head.nextPath !== null && head.loaded.length < Math.min(wanted, HEAD_MAX)) {
    head = appendPage(head, await read(head.nextPath));
  }
  return head;
};

const NONE: readonly PinWire[] = [];

const toLoadedPins = ({ posts: pins, counts }: PinsWire): LoadedPins => ({
  loaded: pins.map((pin) => ({ pin, requestedAt: 0 })),
  requestedAt: 0,
  nextPath: null,
  counts: counts ?? null,
});

/** The account and filter in a query key. */
const scopeOf = ([, accountId, , filter]: readonly unknown[]): string => `${accountId} ${filter}`;

/**
 * The fetched list. While loading, shows the server-rendered pins or the previous search of the same account and filter.
 */
const useLoadedPins = (accountId: string | null, query: PinQuery, first: InitialPins): ApiQuery<LoadedPins> => {
  const client = useQueryClient();
  const key = accountId && listKey(accountId, query);
  const fetchList = async (signal: AbortSignal): Promise<LoadedPins> => {
    const path = (limit: number) => pinsPath(accountId ?? "", query, { limit: String(limit), counts: "true" });
    const before = () => (key && client.getQueryData<LoadedPins>(key)) || null;
    const wanted = before()?.loaded.length ?? 0;
    const head = await readFirstPage(path, wanted, (one) => readPage(one, signal));
    return wanted > HEAD_MAX ? keepTail(head, before(), query.sort) : head;
  };
  return useApiQuery(key || null, fetchList, {
    placeholderData: (before, previous) => {
      const scope = `${accountId} ${query.filter}`;
      if (before) return scopeOf(previous?.queryKey ?? []) === scope ? before : undefined;
      const isPainted = first.pins !== null && `${first.accountId} ${first.query.filter}` === scope;
      return isPainted && first.pins ? toLoadedPins(first.pins) : undefined;
    },
  });
};

/**
 * The pins of a query, page by page: fetched from the API, then updated by the live stream and by polling pins that are
 * due.
 */
export const usePins = (accountId: string | null, query: PinQuery, first: InitialPins): PinList => {
  const rows = useLiveRows<PinWire>(queryKeys.pinRows);
  const call = useLoadedPins(accountId, query, first);
  const { data: list, reload } = call;
  const answered = call.isPlaceholder ? null : list;
  const more = useNextPage({
    queryKey: listKey(accountId ?? "", query),
    list: answered,
    read: readPage,
    append: appendPage,
    answer: answered?.requestedAt,
  });
  const pins = useMemo(() => list && mergePins(list.loaded, rows), [list, rows]);
  const newCount = useMemo(() => {
    if (!answered) return 0;
    const belongs = (pin: PinWire) => belongsTo(pin, accountId, query);
    return countNew(answered, rows, { belongs, sort: query.sort });
  }, [answered, rows, accountId, query]);
  useCountRefresh(accountId, query.q);
  useDuePins(accountId, pins ?? NONE);
  const isEmpty = answered?.loaded.length === 0;
  useEffect(() => {
    // An empty list has nothing that could move.
    if (isEmpty && newCount > 0) void reload();
  }, [isEmpty, newCount, reload]);
  return {
    answer: answered?.requestedAt ?? null,
    pins,
    isStale: query !== first.query && list !== null && answered === null,
    counts: list?.counts ?? null,
    newCount,
    error: call.error,
    isLoading: call.isLoading && list === null,
    reload,
    more,
    rows,
  };
};

/** Returns a test for pins that were published since the screen first showed them in another status. */
export const useNewlyPublished = (pins: readonly PinWire[]): ((pin: PinWire) => boolean) => {
  const [firstSeen, setFirstSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const unseen = pins.filter(({ id }) => !firstSeen.has(id));
  if (unseen.length > 0) {
    setFirstSeen(new Map([...firstSeen, ...unseen.map(({ id, status }) => [id, status] as const)]));
  }
  return (pin) => pin.status === "published" && (firstSeen.get(pin.id) ?? "published") !== "published";
};
