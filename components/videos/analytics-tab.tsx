"use client";

import dynamic from "next/dynamic";
import { useMemo } from "react";
import { bucketUploads } from "#components/charts/chart-data.ts";
import { ChartSkeleton } from "#components/charts/chart-skeleton.tsx";
import { cn } from "#components/ui/cn.ts";
import { VIDEO_TEXTS } from "#components/videos/video-texts.ts";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import { ScrolledTable } from "./video-table.tsx";

const BARS = 12;

const UploadsChart = dynamic(() => import("#components/charts/uploads-chart.tsx"), {
  ssr: false,
  loading: () => <ChartSkeleton />,
});
const HashtagsChart = dynamic(() => import("#components/charts/hashtags-chart.tsx"), {
  ssr: false,
  loading: () => <ChartSkeleton />,
});

function Stat({ label, value }: { label: string; value: string }) {
  return (
    <div
      data-slot="stat"
      className={cn(
        "rounded-card bg-surface shadow-card grid gap-1.5 pt-4.5 pb-4 px-5 [&>dt]:text-xs/[1.4] [&>dt]:text-ink-3",
        "[&>dd]:font-display [&>dd]:text-[clamp(1.25rem,2.6vw,2.125rem)]/[1.1] [&>dd]:font-[360]",
        "[&>dd]:tracking-[-0.022em] [&>dd]:lining-nums [&>dd]:tabular-nums [&>dd]:wrap-anywhere",
      )}
    >
      <dt>{label}</dt>
      <dd className="num">{value}</dd>
    </div>
  );
}

function SelectedStats({ selected }: { selected: NonNullable<Analysis["selected"]> }) {
  const { views, creators, topHashtags } = selected;
  return (
    <section
      className={cn(
        "rounded-card bg-accent-tint shadow-card grid gap-3.5 p-5 text-ink [&_dt]:text-xs/[1.4] [&_dt]:text-ink-2",
        "[&_dl]:grid [&_dl]:grid-cols-3 [&_dl]:gap-y-3 [&_dl]:gap-x-5",
        "[&_dd]:font-semibold [&_dd]:wrap-anywhere max-md:[&_dl]:grid-cols-1",
      )}
      aria-labelledby="selected-stats"
    >
      <h2 id="selected-stats" className="title-3">
        Selected Videos Stats
      </h2>
      <dl className="num">
        <div>
          <dt>Total Views</dt>
          <dd>{views.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Creators</dt>
          <dd>{creators.toLocaleString("en")}</dd>
        </div>
        <div>
          <dt>Top Hashtags</dt>
          <dd>{topHashtags.map((tag) => `#${tag}`).join(", ") || VIDEO_TEXTS.noHashtags}</dd>
        </div>
      </dl>
    </section>
  );
}

/** The Analytics tab; the worker computes the numbers. */
export function AnalyticsTab({ analysis }: { analysis: Analysis }) {
  const { totalVideos, totalViews, creators, averageHashtags, hashtags, topCreators, byUpload, selected } = analysis;
  const buckets = useMemo(() => bucketUploads(byUpload), [byUpload]);
  const byMedian = useMemo(() => hashtags.toSorted((a, b) => b.medianViews - a.medianViews), [hashtags]);
  return (
    <div className="grid gap-5.5">
      <dl className="grid grid-cols-4 gap-4 max-[64rem]:grid-cols-2 max-md:gap-3">
        <Stat label="Total Videos" value={totalVideos.toLocaleString("en")} />
        <Stat label="Total Views" value={totalViews.toLocaleString("en")} />
        <Stat label="Unique Creators" value={creators.toLocaleString("en")} />
        <Stat label="Avg Hashtags per Video" value={averageHashtags.toFixed(1)} />
      </dl>
      {selected && <SelectedStats selected={selected} />}
      <div className="grid grid-cols-2 gap-5.5 items-start max-[64rem]:grid-cols-1">
        <ScrolledTable
          caption="Top Hashtags"
          empty={VIDEO_TEXTS.noHashtags}
          head={["Hashtag", "Count", "% of Videos"]}
          rows={hashtags.map(({ tag, count, percent }) => [`#${tag}`, count, `${percent.toFixed(1)}%`])}
        />
        <ScrolledTable
          caption="Top Creators"
          empty="No creators"
          head={["Creator", "Videos", "Total Views"]}
          rows={topCreators.map(({ author, videos, views }) => [`@${author}`, videos, views])}
        />
        <ScrolledTable
          caption="Views by upload time"
          empty="No upload times"
          head={["Uploaded", "Videos", "Views"]}
          rows={buckets.map(({ time, videos, views }) => [time, videos, views])}
        >
          {buckets.length > 0 && <UploadsChart buckets={buckets} />}
        </ScrolledTable>
        <ScrolledTable
          caption="Hashtags by median views"
          empty={VIDEO_TEXTS.noHashtags}
          head={["Hashtag", "Median views", "Videos"]}
          rows={byMedian.map(({ tag, medianViews, count }) => [`#${tag}`, medianViews, count])}
        >
          {byMedian.length > 0 && <HashtagsChart hashtags={byMedian.slice(0, BARS)} />}
        </ScrolledTable>
      </div>
    </div>
  );
}
