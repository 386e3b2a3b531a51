"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { Board } from "#components/pins/board.tsx";
import { PartBoundary } from "#components/results/part-boundary.tsx";
import { PartTrouble } from "#components/results/part-trouble.tsx";
import { ReadAt } from "#components/results/read-at.tsx";
import { METRIC_NAMES } from "#components/results/result-words.ts";
import { topPinsPath } from "#components/results/results-query.ts";
import { TopPinCard } from "#components/results/top-pin-card.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { PinSkeleton } from "#components/ui/skeleton.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { api } from "#lib/client/api.ts";
import { METRICS, type Metric, TOP_PINS } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { TopPinsWire } from "#lib/features/analytics/schema.ts";

const TopPinDetails = dynamic(() => import("#components/results/top-pin-details.tsx"), { ssr: false });

const HEADING = "results-top";
const WAITING = Array.from({ length: TOP_PINS }, (_, at) => `place ${at}`);

type TopPinsProps = {
  account: { id: string; username: string };
  days: DayRange;
  top: Metric;
  timeZone: string;
  onTop: (top: Metric) => void;
};

/** The account's best pins, as Pinterest tells them now: ours with their pictures, others as a plain slip. */
export function TopPins({ account, days, top, timeZone, onTop }: TopPinsProps) {
  const path = topPinsPath(account.id, days, top);
  const { data, error, isReloading, reload } = useScreenCall(path, (signal) => api.get<TopPinsWire>(path, signal));
  const [openedId, setOpenedId] = useState<string | null>(null);
  const giveUp = () => {
    showToast("Pin Details could not be loaded. Reload the page and try again.");
    setOpenedId(null);
  };
  // Pinterest fills its list up with pins that have nothing of what decides.
  const best = data?.pins.filter(({ figures }) => figures[top] > 0) ?? null;
  const isEmpty = best?.length === 0;
  return (
    <section className="results-part" aria-labelledby={HEADING}>
      <div className="results-head">
        <div>
          <h2 id={HEADING} tabIndex={-1} className="title-2">
            Top pins
          </h2>
          <p className="results-note num">
            The account’s own best in these days, wherever they were made.
            {data && <ReadAt at={data.fetched_at} timeZone={timeZone} />}
          </p>
        </div>
        <SelectField
          label="Best by"
          isLabelHidden
          value={top}
          onChange={(event) => onTop(METRICS.find((metric) => metric === event.target.value) ?? "impressions")}
          fieldClassName="results-top-by"
        >
          {METRICS.map((metric) => (
            <option key={metric} value={metric}>
              By {METRIC_NAMES[metric].toLowerCase()}
            </option>
          ))}
        </SelectField>
      </div>
      {error !== null && (
        <PartTrouble
          what="The top pins"
          accountId={account.id}
          error={error}
          headingId={HEADING}
          isRetrying={isReloading}
          onRetry={reload}
        />
      )}
      {isEmpty && (
        <p className="results-none">Pinterest names no pin with {METRIC_NAMES[top].toLowerCase()} in these days.</p>
      )}
      {!isEmpty && (data || error === null) && (
        <Board className="top-board" aria-busy={data === null}>
          <ol className="top-grid" aria-label="Top pins">
            {best
              ? best.map((pin, at) => (
                  <TopPinCard key={pin.pinterest_pin_id} pin={pin} place={at + 1} top={top} onOpen={setOpenedId} />
                ))
              : WAITING.map((place) => (
                  <li key={place}>
                    <PinSkeleton />
                  </li>
                ))}
          </ol>
        </Board>
      )}
      {openedId !== null && (
        <PartBoundary fallback={null} onFailure={giveUp}>
          <TopPinDetails account={account} pinId={openedId} timeZone={timeZone} onClose={() => setOpenedId(null)} />
        </PartBoundary>
      )}
    </section>
  );
}
