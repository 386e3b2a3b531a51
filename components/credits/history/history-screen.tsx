"use client";

import { useEffect, useRef } from "react";
import { StatementTable } from "#components/credits/history/statement-table.tsx";
import { type Listed, useHistory } from "#components/credits/history/use-history.ts";
import { PageHead } from "#components/shell/page-head.tsx";
import { useTimeZone } from "#components/shell/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { HISTORY_PAGE, HISTORY_TEXTS } from "#lib/features/credits/constants.ts";

type HistoryScreenProps = { first: Listed; timeZone: string };

/** Each credit's story: what came, what went, why, and what was left (DESIGN §6). */
export function HistoryScreen({ first, timeZone: painted }: HistoryScreenProps) {
  const timeZone = useTimeZone(painted);
  const history = useHistory(first);
  const { entries, olderPath, isReadingOlder } = history;
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
      {history.error !== null && (
        <Banner
          tone="failed"
          isAnnounced
          className="mb-4"
          action={
            <Button size="sm" onClick={history.reload}>
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
      {history.olderError !== null && (
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
        <Button className="mt-5" isBusy={isReadingOlder} onClick={history.readOlder}>
          Show older entries
        </Button>
      )}
    </>
  );
}
