"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { PageHead } from "#components/shared/page-head.tsx";
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

/** Entries from the newest on, and the call that answers older ones; null when there are none. */
type Listed = { entries: readonly EntryWire[]; nextPath: string | null };

const ask = async (path: string, signal?: AbortSignal): Promise<Listed> => {
  const { body, next } = await api.getPage<HistoryWire>(path, signal);
  return { entries: body.entries, nextPath: next };
};

/** New entries over those that were listed before; what was listed stays when both meet, for nothing is between them. */
const joinLists = (newest: Listed, older: Listed): Listed => {
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

/**
 * The history as the documented call answers it, over the server's first paint: asked on load, again whenever the
 * balance changes, and for older entries on demand.
 */
const useHistory = (first: Listed) => {
  const client = useQueryClient();
  const { data, error, reload } = useApiQuery(
    KEY,
    async (signal) => {
      const newest = await ask(`${HISTORY_CALL}?limit=${HISTORY_PAGE}`, signal);
      return joinLists(newest, client.getQueryData<Listed>(KEY) ?? first);
    },
    { initialData: first },
  );
  const list = data ?? first;
  return { list, error, reload, older: useNextPage({ queryKey: KEY, list, read: ask, append, answer: null }) };
};

const SIGNED = new Intl.NumberFormat("en-US", { signDisplay: "exceptZero" });

/** With a minus as wide as the plus. */
const signed = (credits: number): string => SIGNED.format(credits).replace("-", "\u2212");

type StatementTableProps = { entries: readonly EntryWire[]; timeZone: string };

/** Entries as a bank statement has them: when, what, how much, and what was there afterwards. */
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
            <th scope="col">When</th>
            <th scope="col">What</th>
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
                {signed(credits)}
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
  first: { entries: readonly EntryWire[]; olderPath: string | null };
  timeZone: string;
};

/** Each credit's story: what came, what went, why, and what was left (DESIGN §6). */
export function HistoryScreen({ first, timeZone: painted }: HistoryScreenProps) {
  const timeZone = useTimeZone(painted);
  const { list, error, reload, older } = useHistory({ entries: first.entries, nextPath: first.olderPath });
  const { entries, nextPath: olderPath } = list;
  const end = useRef<HTMLParagraphElement>(null);
  const hasMore = useRef(olderPath !== null);
  useEffect(() => {
    // The button that was pressed is gone: whoever works by keyboard goes on from here.
    if (hasMore.current && olderPath === null) end.current?.focus();
    hasMore.current = olderPath !== null;
  }, [olderPath]);
  return (
    <>
      <PageHead title={HISTORY_TEXTS.title} action={<LinkButton href="/app/settings">Back to Settings</LinkButton>}>
        What your credits came from and what they went to, newest first. A pin takes its credits when it begins; if it
        cannot be made, they come back.
      </PageHead>
      {error !== null && (
        <Banner
          tone="failed"
          isAnnounced
          className="mb-4"
          action={
            <Button size="sm" onClick={reload}>
              Try again
            </Button>
          }
        >
          {HISTORY_TEXTS.loadFailed}
        </Banner>
      )}
      {entries.length === 0 ? (
        <EmptyState title={HISTORY_TEXTS.empty}>Credits that come and go are listed here.</EmptyState>
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
