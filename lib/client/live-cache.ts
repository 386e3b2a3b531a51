"use client";

import { hashKey, type QueryClient, type QueryKey, skipToken, useQuery } from "@tanstack/react-query";
import { SECOND_MS } from "../core/time.ts";
import type { LiveNews } from "../features/realtime/schema.ts";
import { learn, readAgain } from "./query-client.ts";
import { queryKeys } from "./query-keys.ts";

/** The newest news of each thing, by its id; `value` is null when the thing is gone. */
export type LiveRows<T> = ReadonlyMap<string, { value: T | null; at: number }>;

let moment = 0;

/**
 * Numbers the present: an answer that was asked for at a mark knows of everything before it, and of nothing for sure
 * after it. Each mark is another number.
 */
export const mark = (): number => {
  moment += 1;
  return moment;
};

const NO_ROWS: LiveRows<never> = new Map();

/** What the stream has told since the screen was opened. */
export const useLiveRows = <T>(queryKey: QueryKey): LiveRows<T> =>
  useQuery<LiveRows<T>>({ queryKey, queryFn: skipToken, initialData: NO_ROWS }).data ?? NO_ROWS;

type Row<T> = { id: string; value: T | null };

/** Adds things as a call answered them that was asked for at a mark, unless the stream told of them since. */
export const learnRows = <T>(client: QueryClient, queryKey: QueryKey, things: readonly Row<T>[], askedAt: number) => {
  const at = mark();
  client.setQueryData<LiveRows<T>>(queryKey, (before) => {
    if (!before) return undefined;
    const fresh = things.filter(({ id }) => (before.get(id)?.at ?? 0) <= askedAt);
    return new Map([...before, ...fresh.map(({ id, value }) => [id, { value, at }] as const)]);
  });
};

/** Many things happen at once when a batch is scheduled: asked once for all of them. */
const GATHER_MS = SECOND_MS;

/** Writes what the live stream tells into the cache, and has read again what it only hints at. */
export const createNewsWriter = (client: QueryClient): ((news: LiveNews) => void) => {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const readSoon = (queryKey: QueryKey): void => {
    const hash = hashKey(queryKey);
    if (timers.has(hash)) return;
    const read = () => {
      timers.delete(hash);
      void readAgain(client, queryKey);
    };
    timers.set(hash, setTimeout(read, GATHER_MS));
  };
  const readAll = (...keys: QueryKey[]): void => {
    for (const queryKey of keys) void readAgain(client, queryKey);
  };
  const tellPost = (row: Row<unknown>): void => {
    learnRows(client, queryKeys.postRows, [row], moment);
    if (row.value !== null) client.setQueriesData({ queryKey: queryKeys.pin(row.id) }, row.value);
    readSoon(queryKeys.postCounts);
    // How many pins wait matters only where some account has lost its connection.
    if (client.getQueryData<readonly unknown[]>(queryKeys.lostAccounts)?.length) readSoon(queryKeys.lostAccounts);
  };
  return (news) => {
    if (news.kind === "post") tellPost({ id: news.data.id, value: news.data });
    if (news.kind === "post_removed") tellPost({ id: news.data.id, value: null });
    if (news.kind === "task") {
      learnRows(client, queryKeys.taskRows, [{ id: news.data.task_id, value: news.data }], moment);
    }
    if (news.kind === "credits") learn(client, queryKeys.credits, news.data.available_credits);
    if (news.kind === "reset") readAll(queryKeys.credits);
    if (news.kind === "credits" || news.kind === "reset") {
      readAll(queryKeys.creditsHistory, queryKeys.subscription, queryKeys.payments);
    }
    // Whether pins wait for their account stands with each of them.
    if (news.kind === "account" || news.kind === "reset") {
      readAll(queryKeys.accounts, queryKeys.postLists);
      readSoon(queryKeys.lostAccounts);
    }
  };
};
