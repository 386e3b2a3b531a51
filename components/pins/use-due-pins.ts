"use client";

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { api } from "#lib/client/api.ts";
import { mergeRows, nextSequence, refetchSoon } from "#lib/client/live-cache.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { PAGE_MAX } from "#lib/features/pins/constants.ts";
import type { PinsWire, PinWire } from "#lib/features/pins/schema.ts";
import { IDLE_MS, nextCheck } from "./next-check.ts";
import { pinsPath } from "./pin-list.ts";
import type { Selection } from "./use-selection.ts";

/** Fetches the current state of these pins into the cache, and removes deleted ones. @throws ApiError */
const refreshPins = async (
  client: QueryClient,
  accountId: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const requestedAt = nextSequence();
  const answer = await api.get<PinsWire>(pinsPath(accountId, {}, { ids: ids.join(",") }), signal);
  const found = new Map(answer.posts.map((pin) => [pin.id, pin]));
  const rows = ids.map((id) => ({ id, value: found.get(id) ?? null }));
  mergeRows(client, queryKeys.pinRows, rows, requestedAt);
  refetchSoon(client, queryKeys.pinCounts);
};

/** Polls pins that are due, every few seconds around their time, in case the live stream is down. */
export const useDuePins = (accountId: string | null, pins: readonly PinWire[]): void => {
  const client = useQueryClient();
  useQuery({
    queryKey: ["posts-due", accountId],
    queryFn: async ({ signal }) => {
      const check = nextCheck(pins, Date.now());
      if (accountId !== null && check) await refreshPins(client, accountId, check.ids, signal);
      return null;
    },
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchInterval: ({ state }) => {
      const check = accountId === null ? null : nextCheck(pins, Date.now());
      if (!check) return false;
      return state.error === null ? check.delayMs : Math.max(check.delayMs, IDLE_MS);
    },
  });
};

interface SelectionRefresh {
  accountId: string | null;
  selection: Selection;
  shown: readonly PinWire[];
}

/**
 * After each fetch of the list (`answer` changes), fetches the selected drafts that are not in it. Ignores failures:
 * scheduling validates each draft again.
 */
export const useSelectionRefresh = (answer: number | null, { accountId, selection, shown }: SelectionRefresh): void => {
  const client = useQueryClient();
  const { isSessionFailure } = useSessionEnd();
  const check = useEffectEvent((signal: AbortSignal) => {
    if (!accountId) return;
    const ids = new Set(shown.map(({ id }) => id));
    const missing = selection.ids.filter((id) => !ids.has(id));
    for (let at = 0; at < missing.length; at += PAGE_MAX) {
      refreshPins(client, accountId, missing.slice(at, at + PAGE_MAX), signal).catch(isSessionFailure);
    }
  });
  useEffect(() => {
    if (answer === null) return;
    const abort = new AbortController();
    check(abort.signal);
    return () => abort.abort();
  }, [answer]);
};
