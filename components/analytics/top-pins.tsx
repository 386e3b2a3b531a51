"use client";

import dynamic from "next/dynamic";
import { useState } from "react";
import { Board, Caption, Pin, PinButton, PinFace, PinOutline } from "#components/shared/pin.tsx";
import { WORD_TARGET } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { PinSkeleton } from "#components/ui/skeleton.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { api } from "#lib/client/api.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { formatCount } from "#lib/core/text.ts";
import { METRICS, type Metric, TOP_PINS } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { TopPinsWire, TopPinWire } from "#lib/features/analytics/schema.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import { topPinsPath } from "./analytics-query.ts";
import { AnalyticsSection } from "./analytics-section.tsx";
import { METRIC_NAMES } from "./analytics-text.ts";
import { FetchedAt, SectionBoundary, SectionError } from "./section-error.tsx";

/** The grid has two, three or six columns. */
const FACE_SIZES = "(min-width: 1200px) 160px, (min-width: 768px) 26vw, 42vw";

type TopPinCardProps = {
  pin: TopPinWire;
  rank: number;
  /** The metric that sorts the list. */
  top: Metric;
  onOpen: (postId: string) => void;
};

function OwnFace({ post, onOpen }: { post: NonNullable<TopPinWire["post"]>; onOpen: (postId: string) => void }) {
  return (
    <PinButton aria-label={`Pin Details: ${post.title}`} onClick={() => onOpen(post.id)}>
      <Pin state="published">
        <PinFace src={post.image_url} srcSet={thumbnailSet(post.image_url)} sizes={FACE_SIZES} alt="" />
      </Pin>
    </PinButton>
  );
}

/** One of the top pins; the image is only known for pins published here. */
function TopPinCard({ pin, rank, top, onOpen }: TopPinCardProps) {
  const { post, figures } = pin;
  const title = post?.title ?? "Created elsewhere";
  const url = httpUrl(pin.pinterest_url);
  const otherMetrics = METRICS.filter((metric) => metric !== top && metric !== "engagements");
  return (
    <li data-slot="top-pin" className="min-w-0">
      {post ? (
        <OwnFace post={post} onOpen={onOpen} />
      ) : (
        <PinOutline className="text-[0.9375rem]">View its image on Pinterest</PinOutline>
      )}
      <Caption title={title}>
        <span data-slot="top-figure" className="[&>b]:font-[650] [&>b]:text-ink num">
          <b>{formatCount(figures[top])}</b> {METRIC_NAMES[top].toLowerCase()}
        </span>
        <dl className="grid w-full text-micro text-ink-3 [&>div]:flex [&>div]:justify-between [&>div]:gap-2 num">
          {otherMetrics.map((metric) => (
            <div key={metric}>
              <dt>{METRIC_NAMES[metric]}</dt>
              <dd>{formatCount(figures[metric])}</dd>
            </div>
          ))}
        </dl>
        {post?.keyword && <span>{post.keyword}</span>}
        {url && (
          <a className={cn("link", WORD_TARGET)} href={url} target="_blank" rel="noreferrer">
            View it
            <span className="sr-only">
              {" "}
              on Pinterest: number {rank}, {title}
            </span>
          </a>
        )}
      </Caption>
    </li>
  );
}

const TopPinDetails = dynamic(() => import("./top-pin-details.tsx"), { ssr: false });

const HEADING = "analytics-top";
const WAITING = Array.from({ length: TOP_PINS }, (_, at) => `rank ${at}`);

type TopPinsProps = {
  account: { id: string; username: string };
  days: DayRange;
  top: Metric;
  timeZone: string;
  onTop: (top: Metric) => void;
};

/** The account's top pins by Pinterest's live ranking. */
export function TopPins({ account, days, top, timeZone, onTop }: TopPinsProps) {
  const path = topPinsPath(account.id, days, top);
  const { data, error, isReloading, reload } = useApiQuery([path], (signal) => api.get<TopPinsWire>(path, signal));
  const [openedId, setOpenedId] = useState<string | null>(null);
  const onLoadFailure = () => {
    showToast("We couldn't load Pin Details. Reload the page and try again.");
    setOpenedId(null);
  };
  // Pinterest pads its list with pins that have none of the metric.
  const best = data?.pins.filter(({ figures }) => figures[top] > 0) ?? null;
  const isEmpty = best?.length === 0;
  return (
    <AnalyticsSection
      headingId={HEADING}
      title="Top pins"
      note={
        <>
          The account's best pins in this period, wherever they were created.
          {data && <FetchedAt at={data.fetched_at} timeZone={timeZone} />}
        </>
      }
      aside={
        <SelectField
          label="Sort by"
          isLabelHidden
          value={top}
          onChange={(event) => onTop(METRICS.find((metric) => metric === event.target.value) ?? "impressions")}
          fieldClassName="w-[13rem] max-md:w-full"
        >
          {METRICS.map((metric) => (
            <option key={metric} value={metric}>
              By {METRIC_NAMES[metric].toLowerCase()}
            </option>
          ))}
        </SelectField>
      }
    >
      {error !== null && (
        <SectionError
          what="The top pins"
          accountId={account.id}
          error={error}
          focusId={HEADING}
          isRetrying={isReloading}
          onRetry={reload}
        />
      )}
      {isEmpty && <p className="py-3 text-ink-3">No pins with {METRIC_NAMES[top].toLowerCase()} in this period.</p>}
      {!isEmpty && (data || error === null) && (
        <Board className="py-10 px-8 max-md:-mx-1 max-md:py-8 max-md:px-4.5" aria-busy={data === null}>
          <ol
            className={cn(
              "grid grid-cols-6 gap-y-10 gap-x-5.5 max-xl:grid-cols-4",
              "max-md:grid-cols-2 max-md:gap-y-8.5 max-md:gap-x-4.5",
            )}
            aria-label="Top pins"
          >
            {best
              ? best.map((pin, at) => (
                  <TopPinCard key={pin.pinterest_pin_id} pin={pin} rank={at + 1} top={top} onOpen={setOpenedId} />
                ))
              : WAITING.map((rank) => (
                  <li key={rank}>
                    <PinSkeleton />
                  </li>
                ))}
          </ol>
        </Board>
      )}
      {openedId !== null && (
        <SectionBoundary fallback={null} onFailure={onLoadFailure}>
          <TopPinDetails account={account} pinId={openedId} timeZone={timeZone} onClose={() => setOpenedId(null)} />
        </SectionBoundary>
      )}
    </AnalyticsSection>
  );
}
