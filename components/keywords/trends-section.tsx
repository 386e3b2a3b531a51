"use client";

import { EmptyState } from "#components/shared/empty-state.tsx";
import { useReturnFocus } from "#components/shared/use-return-focus.ts";
import { Button } from "#components/ui/button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { TREND_CALLS_LIMIT } from "#lib/features/keywords/constants.ts";
import type { TrendsWire } from "#lib/features/keywords/schema.ts";
import { Filters } from "./filters.tsx";
import { KeywordsError } from "./keywords-error.tsx";
import { firstTerm, type KeywordsQuery, PANEL, trendsPath } from "./keywords-query.ts";
import { RelatedKeywords } from "./related-keywords.tsx";
import { TrendsTable } from "./trends-table.tsx";
import type { KeywordSelection } from "./use-selection.ts";

type LoadedAtProps = { at: string; timeZone: string };

/** When the numbers were read, which may have been hours ago, and why they are kept. */
function LoadedAt({ at, timeZone }: LoadedAtProps) {
  return (
    <p className="mt-1.5 max-w-[70ch] text-xs/[1.5] text-ink-3 num">
      Data from Pinterest as of <time dateTime={at}>{formatDateTime(at, timeZone)}</time>. Because Pinterest limits
      requests ({TREND_CALLS_LIMIT} per minute), it can be up to a day old.
    </p>
  );
}

const ROWS = [1, 2, 3, 4, 5, 6];

function LoadingRows() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading trends"
      className="grid gap-6 rounded-card bg-surface p-5 shadow-card"
    >
      {ROWS.map((row) => (
        <Skeleton key={row} className="h-6 w-full" />
      ))}
    </div>
  );
}

type NoTrendsProps = { query: KeywordsQuery; onChange: (part: Partial<KeywordsQuery>) => void };

function NoTrends({ query, onChange }: NoTrendsProps) {
  const focusBack = useReturnFocus(PANEL);
  const isFiltered = query.search !== "" || query.interests.length + query.ages.length + query.genders.length > 0;
  if (!isFiltered) {
    return <EmptyState title="No trends right now">Choose another region or trend type.</EmptyState>;
  }
  return (
    <EmptyState
      title="No trends match"
      action={
        <Button ref={focusBack} onClick={() => onChange({ search: "", interests: [], ages: [], genders: [] })}>
          Show all
        </Button>
      }
    >
      Try another search, or remove some filters.
    </EmptyState>
  );
}

type TrendsSectionProps = {
  accountId: string;
  query: KeywordsQuery;
  onChange: (part: Partial<KeywordsQuery>) => void;
  selection: KeywordSelection;
  /** UTC day. */
  today: string;
  timeZone: string;
};

/** Pinterest's trends for the chosen filters, read live. */
export function TrendsSection({ accountId, query, onChange, selection, today, timeZone }: TrendsSectionProps) {
  const path = trendsPath(accountId, query);
  const { data, error, isLoading, isReloading, reload } = useApiQuery([path], (signal) =>
    api.get<TrendsWire>(path, signal),
  );
  const term = firstTerm(query.search);
  return (
    <>
      <Filters query={query} onChange={onChange} />
      {term !== "" && <RelatedKeywords key={term} accountId={accountId} term={term} selection={selection} />}
      {error !== null && (
        <KeywordsError
          what="The trends"
          accountId={accountId}
          error={error}
          focusId={PANEL}
          isRetrying={isReloading}
          onRetry={() => void reload()}
        />
      )}
      {isLoading && <LoadingRows />}
      {data && data.trends.length === 0 && <NoTrends query={query} onChange={onChange} />}
      {data && data.trends.length > 0 && (
        <>
          <TrendsTable accountId={accountId} trends={data.trends} today={today} selection={selection} />
          <p className="mt-3 max-w-[70ch] text-xs/[1.5] text-ink-3">
            Growth compares searches with the previous week, month, or year. Each line shows searches by week over the
            past year; the dashed part is Pinterest's forecast for three months, on its own scale. Pins need six to
            eight weeks to be found, so publish that long before a peak.
          </p>
          <LoadedAt at={data.fetched_at} timeZone={timeZone} />
        </>
      )}
    </>
  );
}
