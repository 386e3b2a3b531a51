"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import type { RelatedWire } from "#lib/features/keywords/schema.ts";
import { KeywordsError } from "./keywords-error.tsx";
import { relatedPath } from "./keywords-query.ts";
import { OwnPins } from "./own-pins.tsx";
import type { KeywordSelection } from "./use-selection.ts";

type RelatedKeywordsProps = { accountId: string; term: string; selection: KeywordSelection };

/** Keywords that Pinterest relates to the searched one, with the account's own pins, to select like trends. */
export function RelatedKeywords({ accountId, term, selection }: RelatedKeywordsProps) {
  const path = relatedPath(accountId, term);
  const { data, error, isLoading, isReloading, reload } = useApiQuery([path], (signal) =>
    api.get<RelatedWire>(path, signal),
  );
  return (
    <section aria-labelledby="related" className="mb-5 rounded-card bg-surface p-5 shadow-card">
      <h2 id="related" tabIndex={-1} className="title-3 mb-2 wrap-anywhere">
        Related to “{term}”
      </h2>
      {error !== null && (
        <KeywordsError
          what="Related keywords"
          accountId={accountId}
          error={error}
          focusId="related"
          isRetrying={isReloading}
          onRetry={() => void reload()}
        />
      )}
      {isLoading && (
        <div role="status" aria-busy="true" aria-label="Loading related keywords">
          <Skeleton className="h-5 w-2/3" />
        </div>
      )}
      {data && data.items.length === 0 && (
        <p className="text-sm text-ink-3">Pinterest has no related keywords for this.</p>
      )}
      {data && data.items.length > 0 && (
        <ul className="grid gap-x-5 gap-y-1 sm:grid-cols-2 xl:grid-cols-3">
          {data.items.map(({ keyword, own_pins }) => (
            <li key={keyword} className="min-w-0">
              <Checkbox
                label={keyword}
                checked={selection.keywords.has(keyword)}
                disabled={selection.isFull && !selection.keywords.has(keyword)}
                onChange={() => selection.toggle(keyword)}
              />
              <OwnPins own={own_pins} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
