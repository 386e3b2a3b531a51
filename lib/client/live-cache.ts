"use client";

import { hashKey, type QueryClient, type QueryKey, skipToken, useQuery } from "@tanstack/react-query";
import { SECOND_MS } from "../core/time.ts";
import type { LiveEvent } from "../features/realtime/schema.ts";
import { refetchActive, setKnown } from "./query-client.ts";
import { queryKeys } from "./query-keys.ts";

/** The newest event of each row by id; `value` is null when the row was removed. */
export type LiveRows<T> = ReadonlyMap<string, { value: T | null; at: number }>;

let sequence = 0;

/** Returns a number larger than all before. A response requested at a number contains every event before it. */
export const nextSequence = (): number => {
  sequence += 1;
  return sequence;
};

const NO_ROWS: LiveRows<never> = new Map();

export const useLiveRows = <T>(queryKey: QueryKey): LiveRows<T> =>
  useQuery<LiveRows<T>>({ queryKey, queryFn: skipToken, initialData: NO_ROWS }).data ?? NO_ROWS;

type Row<T> = { id: string; value: T | null };

/** Merges the rows of a response requested at a sequence number, except rows that an event changed since. */
export const mergeRows = <T>(client: QueryClient, queryKey: QueryKey, rows: readonly Row<T>[], requestedAt: number) => {
  const at = nextSequence();
  client.setQueryData<LiveRows<T>>(queryKey, (before) => {
    if (!before) return undefined;
    const fresh = rows.filter(({ id }) => (before.get(id)?.at ?? 0) <= requestedAt);
    return new Map([...before, ...fresh.map(({ id, value }) => [id, { value, at }] as const)]);
  });
};

/** Scheduling a batch sends many events at once; one refetch covers them all. */
const REFETCH_DELAY_MS = SECOND_MS;

const timers = new WeakMap<QueryClient, Map<string, ReturnType<typeof setTimeout>>>();

/** Refetches after a second, once for all calls until then. Lets a running request finish, since events may never pause. */
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

export const createEventWriter = (client: QueryClient): ((event: LiveEvent) => void) => {
  const refetchAll = (...keys: QueryKey[]): void => {
    for (const queryKey of keys) void refetchActive(client, queryKey);
  };
  const writePin = (row: Row<unknown>): void => {
    mergeRows(client, queryKeys.pinRows, [row], sequence);
    if (row.value !== null) client.setQueriesData({ queryKey: queryKeys.pin(row.id) }, row.value);
    // Slides and attempts aren't part of the row.
    refetchSoon(client, queryKeys.attempts(row.id));
    refetchSoon(client, queryKeys.pinCounts);
    // A new draft is in no list yet.
    refetchSoon(client, queryKeys.calendarDrafts);
    // The number of waiting pins is only shown while an account is disconnected.
    if (client.getQueryData<readonly unknown[]>(queryKeys.disconnectedAccounts)?.length)
      refetchSoon(client, queryKeys.disconnectedAccounts);
  };
  return (event) => {
    if (event.kind === "post") writePin({ id: event.data.id, value: event.data });
    if (event.kind === "post_removed") writePin({ id: event.data.id, value: null });
    if (event.kind === "task") {
      mergeRows(client, queryKeys.taskRows, [{ id: event.data.task_id, value: event.data }], sequence);
    }
    if (event.kind === "credits") setKnown(client, queryKeys.credits, event.data.available_credits);
    if (event.kind === "reset") refetchAll(queryKeys.credits);
    if (event.kind === "credits" || event.kind === "reset") {
      refetchAll(queryKeys.creditsHistory, queryKeys.subscription, queryKeys.payments);
    }
    // Every pin shows whether it is waiting for its account.
    if (event.kind === "account" || event.kind === "reset") {
      refetchAll(queryKeys.accounts, queryKeys.pinLists, queryKeys.calendar);
      refetchSoon(client, queryKeys.disconnectedAccounts);
    }
  };
};
