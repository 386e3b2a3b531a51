"use client";

import { hashKey, type QueryClient, type QueryKey, skipToken, useQuery } from "@tanstack/react-query";
import { SECOND_MS } from "../core/time.ts";
import type { LiveNews } from "../features/realtime/schema.ts";
import { refetchActive, setKnown } from "./query-client.ts";
import { queryKeys } from "./query-keys.ts";

/** The newest event of each row, by its id; `value` is null when the row was removed. */
export type LiveRows<T> = ReadonlyMap<string, { value: T | null; at: number }>;

let sequence = 0;

/**
 * A number larger than all before it. An answer requested at a number contains every event before it, and perhaps none
 * after it.
 */
export const nextSequence = (): number => {
  sequence += 1;
  return sequence;
};

const NO_ROWS: LiveRows<never> = new Map();

/** The rows that events have changed since the screen was opened. */
export const useLiveRows = <T>(queryKey: QueryKey): LiveRows<T> =>
  useQuery<LiveRows<T>>({ queryKey, queryFn: skipToken, initialData: NO_ROWS }).data ?? NO_ROWS;

type Row<T> = { id: string; value: T | null };

/** Adds rows of an answer requested at a sequence number, except those that an event has changed since. */
export const mergeRows = <T>(client: QueryClient, queryKey: QueryKey, rows: readonly Row<T>[], requestedAt: number) => {
  const at = nextSequence();
  client.setQueryData<LiveRows<T>>(queryKey, (before) => {
    if (!before) return undefined;
    const fresh = rows.filter(({ id }) => (before.get(id)?.at ?? 0) <= requestedAt);
    return new Map([...before, ...fresh.map(({ id, value }) => [id, { value, at }] as const)]);
  });
};

/** Scheduling a batch sends many events at once: one refetch follows all of them. */
const REFETCH_DELAY_MS = SECOND_MS;

const timers = new WeakMap<QueryClient, Map<string, ReturnType<typeof setTimeout>>>();

/** Refetches a second later, once for all calls until then. A request under way is left to end: events may never pause. */
export const refetchSoon = (client: QueryClient, queryKey: QueryKey): void => {
  const hash = hashKey(queryKey);
  const waiting = timers.get(client) ?? new Map();
  timers.set(client, waiting);
  if (waiting.has(hash)) return;
  const refetch = () => {
    waiting.delete(hash);
    if (client.isFetching({ queryKey, type: "active" }) > 0) refetchSoon(client, queryKey);
    else void refetchActive(client, queryKey);
  };
  waiting.set(hash, setTimeout(refetch, REFETCH_DELAY_MS));
};

/** Writes events of the live stream into the cache, and refetches what an event only points to. */
export const createEventWriter = (client: QueryClient): ((event: LiveNews) => void) => {
  const refetchAll = (...keys: QueryKey[]): void => {
    for (const queryKey of keys) void refetchActive(client, queryKey);
  };
  const writePost = (row: Row<unknown>): void => {
    mergeRows(client, queryKeys.postRows, [row], sequence);
    if (row.value !== null) client.setQueriesData({ queryKey: queryKeys.pin(row.id) }, row.value);
    refetchSoon(client, queryKeys.postCounts);
    // How many pins wait matters only where some account has lost its connection.
    if (client.getQueryData<readonly unknown[]>(queryKeys.lostAccounts)?.length)
      refetchSoon(client, queryKeys.lostAccounts);
  };
  return (event) => {
    if (event.kind === "post") writePost({ id: event.data.id, value: event.data });
    if (event.kind === "post_removed") writePost({ id: event.data.id, value: null });
    if (event.kind === "task") {
      mergeRows(client, queryKeys.taskRows, [{ id: event.data.task_id, value: event.data }], sequence);
    }
    if (event.kind === "credits") setKnown(client, queryKeys.credits, event.data.available_credits);
    if (event.kind === "reset") refetchAll(queryKeys.credits);
    if (event.kind === "credits" || event.kind === "reset") {
      refetchAll(queryKeys.creditsHistory, queryKeys.subscription, queryKeys.payments);
    }
    // Each pin says whether it waits for its account.
    if (event.kind === "account" || event.kind === "reset") {
      refetchAll(queryKeys.accounts, queryKeys.postLists);
      refetchSoon(client, queryKeys.lostAccounts);
    }
  };
};
