"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { useNextPage } from "#lib/client/use-next-page.ts";
import { formatCount } from "#lib/core/text.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { HISTORY_CALL, HISTORY_PAGE, HISTORY_TEXTS } from "#lib/features/credits/constants.ts";
import type { EntryWire, HistoryWire } from "#lib/features/credits/schema.ts";

/** Entries, newest first, and the call for older ones; null when there are none. */
type Listed = { entries: readonly EntryWire[]; nextPath: string | null };

const fetchPage = async (path: string, signal?: AbortSignal): Promise<Listed> => {
  const { body, next } = await api.getPage<HistoryWire>(path, signal);
  return { entries: body.entries, nextPath: next };
};

/**
 * Merges new entries with the loaded ones if they overlap; otherwise entries between them may be missing and the loaded
 * ones are dropped.
 */
const mergeLists = (newest: Listed, older: Listed): Listed => {
  const ids = new Set(newest.entries.map(({ id }) => id));
  const meet = older.entries.some(({ id }) => ids.has(id));
  if (newest.nextPath !== null && !meet) return newest;
  const rest = older.entries.filter(({ id }) => !ids.has(id));
  return { entries: [...newest.entries, ...rest], nextPath: rest.length > 0 ? older.nextPath : newest.nextPath };
};

const append = (before: Listed, older: Listed): Listed => ({
  entries: [...before.entries, ...older.entries],
  nextPath: older.nextPath,
});

const KEY = queryKeys.creditsHistory;

/** The history, server-rendered first, refreshed on load and when the balance changes, with older entries on demand. */
const useHistory = (initial: Listed) => {
  const client = useQueryClient();
  const { data, error, reload } = useApiQuery(
    KEY,
    async (signal) => {
      const newest = await fetchPage(`${HISTORY_CALL}?limit=${HISTORY_PAGE}`, signal);
      return mergeLists(newest, client.getQueryData<Listed>(KEY) ?? initial);
    },
    { initialData: initial },
  );
  const list = data ?? initial;
  return { list, error, reload, older: useNextPage({ queryKey: KEY, list, read: fetchPage, append, answer: null }) };
};

const SIGNED = new Intl.NumberFormat("en-US", { signDisplay: "exceptZero" });

/** Uses a minus sign as wide as the plus sign. */
const formatSigned = (credits: number): string => SIGNED.format(credits).replace("-", "\u2212");

type StatementTableProps = { entries: readonly EntryWire[]; timeZone: string };

function StatementTable({ entries, timeZone }: StatementTableProps) {
  return (
    <div className="rounded-card bg-surface shadow-card overflow-hidden">
      <table
        className={cn(
          "w-full border-collapse text-ui/[1.4]",
          "[&_th]:pt-3.5 [&_th]:pb-2.5 [&_th]:px-5.5 [&_th]:text-left [&_th]:text-xs [&_th]:font-medium",
          "[&_th]:text-ink-3",
          "[&_td]:py-[13px] [&_td]:px-5.5 [&_td]:align-top [&_td]:border-t [&_td]:border-line",
          "[&_td:first-child]:w-[1%] [&_td:first-child]:whitespace-nowrap [&_td:first-child]:text-ink-3",
          "[&_td:nth-child(2)]:wrap-anywhere",
          "[&_:is(th,_td):nth-child(n_+_3)]:w-[1%] [&_:is(th,_td):nth-child(n_+_3)]:text-right",
          "[&_:is(th,_td):nth-child(n_+_3)]:whitespace-nowrap [&_td:nth-child(3)]:font-[550]",
          "[&_td[data-comes='true']]:text-published-ink [&_td:last-child]:text-ink-2",
          "[&_tr[data-kind='reserved']_td:nth-child(2)]:text-ink-2 max-md:[&_thead]:hidden",
          "max-md:[&_tr]:grid max-md:[&_tr]:grid-cols-[minmax(0,1fr)_auto] max-md:[&_tr]:gap-y-[3px]",
          "max-md:[&_tr]:gap-x-4 max-md:[&_tr]:py-[13px] max-md:[&_tr]:px-4 max-md:[&_tr]:border-t",
          "max-md:[&_tr]:border-line max-md:[&_tbody_tr:first-child]:border-t-0",
          "max-md:[&_td]:w-auto max-md:[&_td]:p-0 max-md:[&_td]:border-0 max-md:[&_td:nth-child(n)]:w-auto",
          "max-md:[&_td:nth-child(n_+_3)]:justify-self-end",
          "max-md:[&_td:first-child]:row-start-2 max-md:[&_td:first-child]:text-sm",
          "max-md:[&_td:first-child]:text-ink-3",
          "max-md:[&_td:last-child]:row-start-2 max-md:[&_td:last-child]:text-sm",
          "max-md:[&_td:last-child]:text-ink-3 max-md:[&_td:nth-child(2)]:[grid-area:1_/_1]",
          "max-md:[&_td:nth-child(3)]:[grid-area:1_/_2]",
        )}
        aria-label="Credits"
      >
        <thead>
          <tr>
            <th scope="col">Date</th>
            <th scope="col">Activity</th>
            <th scope="col">Credits</th>
            <th scope="col">Balance</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, created_at, kind, text, detail, credits, balance_after }) => (
            <tr key={id} data-kind={kind}>
              <td className="num">
                <time dateTime={created_at}>{formatDateTime(created_at, timeZone)}</time>
              </td>
              <td>
                {text}
                {detail !== null && <span className="block mt-0.5 text-sm text-ink-3">{detail}</span>}
              </td>
              <td className="num" data-comes={credits > 0}>
                {formatSigned(credits)}
              </td>
              <td className="num">
                <span className="hidden max-md:inline" aria-hidden="true">
                  Balance{" "}
                </span>
                {formatCount(balance_after)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HistoryScreenProps = {
  initial: { entries: readonly EntryWire[]; olderPath: string | null };
  timeZone: string;
};

/** Credit activity: what was added or used, why, and the balance after it. */
export function HistoryScreen({ initial, timeZone: initialTimeZone }: HistoryScreenProps) {
  const timeZone = useTimeZone(initialTimeZone);
  const { list, error, reload, older } = useHistory({ entries: initial.entries, nextPath: initial.olderPath });
  const { entries, nextPath: olderPath } = list;
  const end = useRef<HTMLParagraphElement>(null);
  const hasMore = useRef(olderPath !== null);
  useEffect(() => {
    // The pressed button is removed, so the focus moves to the end of the list.
    if (hasMore.current && olderPath === null) end.current?.focus();
    hasMore.current = olderPath !== null;
  }, [olderPath]);
  return (
    <>
      <PageHeader title={HISTORY_TEXTS.title} action={<LinkButton href="/app/settings">Back to Settings</LinkButton>}>
        Where your credits came from and how you used them, newest first. We reserve a pin's credits when generation
        starts and return them if it fails.
      </PageHeader>
      {error !== null && (
        <LoadFailed className="mb-4" onRetry={reload}>
          {HISTORY_TEXTS.loadFailed}
        </LoadFailed>
      )}
      {entries.length === 0 ? (
        <EmptyState title={HISTORY_TEXTS.empty}>Credits you receive and use will show up here.</EmptyState>
      ) : (
        <StatementTable entries={entries} timeZone={timeZone} />
      )}
      {older.error !== null && (
        <Banner tone="failed" isAnnounced className="mt-4">
          {HISTORY_TEXTS.olderFailed}
        </Banner>
      )}
      {olderPath === null && entries.length > HISTORY_PAGE && (
        <p ref={end} tabIndex={-1} className="mt-5 text-sm text-ink-3">
          {HISTORY_TEXTS.begins}
        </p>
      )}
      {olderPath !== null && (
        <Button className="mt-5" isBusy={older.isReading} onClick={older.read}>
          Show older entries
        </Button>
      )}
    </>
  );
}
