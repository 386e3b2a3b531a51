"use client";

import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Download from "lucide-react/icons/download";
import Equal from "lucide-react/icons/equal";
import ImageDown from "lucide-react/icons/image-down";
import dynamic from "next/dynamic";
import { useId, useRef, useState } from "react";
import { chartImage, type LegendEntry } from "#components/charts/chart-image.ts";
import { ChartSkeleton, DAYS_CHART } from "#components/charts/chart-skeleton.tsx";
import { DataTable } from "#components/shared/data-table.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { api } from "#lib/client/api.ts";
import { downloadBlob } from "#lib/client/files.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { formatCount } from "#lib/core/text.ts";
import { METRICS, type Metric } from "#lib/features/analytics/constants.ts";
import type { DayRange } from "#lib/features/analytics/policy.ts";
import type { AccountAnalyticsWire, AnalyticsDayWire, MetricsWire } from "#lib/features/analytics/schema.ts";
import { DAY_STATES, daysCsv, fileName } from "./analytics-files.ts";
import { accountPath } from "./analytics-query.ts";
import { AnalyticsSection } from "./analytics-section.tsx";
import { changeOf, daysText, finalDaysText, formatShare, longDay, METRIC_NAMES, shortDay } from "./analytics-text.ts";
import { FetchedAt, SectionBoundary, SectionError } from "./section-error.tsx";

const LINE = cn("pointer-events-none relative flex min-h-[1.35em] items-center gap-1 text-xs/[1.35]");
const QUIET = "text-ink-3 group-has-checked:text-ink-2";
const INCREASED = "font-[550] text-accent-ink";
const NUMBER = cn(
  "pointer-events-none relative flex min-h-[2.25rem] items-center font-display font-[360] tracking-[-0.022em]",
  "text-[clamp(1.5rem,0.9rem+1.4vw,2rem)]/[1.1] lining-nums tabular-nums",
);

const CAPTION = "Metrics by day (UTC)";

/** All metrics as a table, newest day first. */
function DaysTable({ days }: { days: readonly AnalyticsDayWire[] }) {
  return (
    <section
      data-slot="table-scroll"
      className={cn(
        "overflow-auto max-h-[24rem] border-t border-line-2 focus-visible:-outline-offset-3",
        "[&_tr>:first-child]:sticky [&_tr>:first-child]:left-0 [&_tr>:first-child]:bg-surface",
        "[&_tr>:first-child]:whitespace-nowrap [&_thead_th:first-child]:z-1 [&_td[colspan]]:text-left",
      )}
      aria-label={CAPTION}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
    >
      <DataTable>
        <caption className="sr-only">{CAPTION}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {METRICS.map((metric) => (
              <th key={metric} scope="col">
                {METRIC_NAMES[metric]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ date, status, figures }) => (
            <tr key={date}>
              <th scope="row">{longDay(date)}</th>
              {figures ? (
                METRICS.map((metric) => <td key={metric}>{formatCount(figures[metric])}</td>)
              ) : (
                <td colSpan={METRICS.length} className="italic-serif">
                  {DAY_STATES[status]}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </DataTable>
    </section>
  );
}

type MetricPickerProps = {
  /** Null while loading. */
  analytics: AccountAnalyticsWire | null;
  value: Metric;
  onChange: (metric: Metric) => void;
};

const ARROWS = { up: ArrowUp, down: ArrowDown, same: Equal } as const;

function Rate({ metric, sums }: { metric: Metric; sums: MetricsWire }) {
  if (metric === "impressions") return "times your pins were seen";
  if (sums.impressions === 0) return "no impressions";
  return `${formatShare(sums[metric] / sums.impressions)} of impressions`;
}

function Delta({ metric, analytics: { sums, before } }: { metric: Metric; analytics: AccountAnalyticsWire }) {
  if (!before) return <span className={cn(LINE, QUIET)}>No earlier data</span>;
  const { way, text } = changeOf(sums[metric], before.sums[metric]);
  const Arrow = ARROWS[way];
  return (
    <span className={way === "up" ? cn(LINE, INCREASED) : cn(LINE, QUIET)}>
      <Arrow aria-hidden="true" className="size-[13px] flex-none stroke-[2.2]" />
      {text}
    </span>
  );
}

/**
 * Borders between the five metrics: one row on desktop, rows of two and three on tablets, and of one, two and two on
 * phones.
 */
const CELLS = [
  "max-[64rem]:col-span-3 max-[64rem]:border-b max-md:col-span-full",
  "border-l max-[64rem]:col-span-3 max-[64rem]:border-b max-md:col-span-1 max-md:border-l-0",
  "border-l max-[64rem]:col-span-2 max-[64rem]:border-l-0 max-md:col-span-1 max-md:border-b max-md:border-l",
  "border-l max-[64rem]:col-span-2 max-md:col-span-1 max-md:border-l-0",
  "border-l max-[64rem]:col-span-2 max-md:col-span-1",
];

/** The account's five metrics with rates and changes; choosing one shows it in the chart. */
function MetricPicker({ analytics, value, onChange }: MetricPickerProps) {
  const name = useId();
  return (
    <fieldset
      className="grid grid-cols-5 min-w-0 border-b border-line max-[64rem]:grid-cols-6 max-md:grid-cols-2"
      aria-busy={analytics === null}
    >
      <legend className="sr-only">Metric in the chart</legend>
      {METRICS.map((metric, at) => (
        <label
          key={metric}
          className={cn(
            "group relative grid content-start gap-[5px] border-line py-4.5 pr-3 pl-4.5",
            "transition-[background] duration-(--dur-hover) ease-out hover:bg-hover has-checked:bg-accent-tint",
            "has-checked:after:absolute has-checked:after:inset-x-0 has-checked:after:-bottom-px",
            "has-checked:after:h-[3px] has-checked:after:bg-accent",
            "has-focus-visible:outline-[2.5px] has-focus-visible:outline-solid has-focus-visible:outline-focus",
            "has-focus-visible:-outline-offset-3 max-md:py-3.5 max-md:pr-2.5 max-md:pl-4",
            CELLS[at],
          )}
        >
          <input
            type="radio"
            name={name}
            checked={metric === value}
            onChange={() => onChange(metric)}
            className="absolute inset-0 appearance-none outline-none"
          />
          <span className="pointer-events-none relative text-xs/[1.4] font-[550] text-ink-2">
            {METRIC_NAMES[metric]}
          </span>
          {analytics ? (
            <>
              <b className={NUMBER}>{analytics.ready_through === null ? "–" : formatCount(analytics.sums[metric])}</b>
              <span className={cn(LINE, QUIET, "num")}>
                {analytics.ready_through === null ? "not final yet" : <Rate metric={metric} sums={analytics.sums} />}
              </span>
              {analytics.ready_through === null ? (
                <span className={cn(LINE, QUIET)}>&nbsp;</span>
              ) : (
                <Delta metric={metric} analytics={analytics} />
              )}
            </>
          ) : (
            <>
              <span className={NUMBER}>
                <Skeleton className="h-[0.8em] w-24" />
              </span>
              <span className={cn(LINE, QUIET)}>
                <Skeleton className="h-3 w-28" />
              </span>
              <span className={cn(LINE, QUIET)}>
                <Skeleton className="h-3 w-20" />
              </span>
            </>
          )}
        </label>
      ))}
    </fieldset>
  );
}

const MARKS = {
  line: "h-0.5 w-5.5 bg-accent",
  hatch: cn(
    "h-3 w-5.5 border border-dashed border-control opacity-75",
    "bg-[repeating-linear-gradient(135deg,var(--control)_0_1.5px,transparent_1.5px_6px)]",
  ),
} as const;

const ChartLoading = () => <ChartSkeleton className={DAYS_CHART} />;
const DaysChart = dynamic(() => import("#components/charts/days-chart.tsx"), { ssr: false, loading: ChartLoading });

const HEADING = "analytics-account";
const TABLE = "analytics-days";
const NO_IMAGE = "We couldn't create the image. The CSV has the same data.";
const NOT_FINAL = "Not final: Pinterest is still counting";
const NO_DATA = "No data from Pinterest";

type AccountSectionProps = {
  account: { id: string; username: string };
  days: DayRange;
  metric: Metric;
  timeZone: string;
  onMetricChange: (metric: Metric) => void;
};

function SumText({ analytics, days }: { analytics: AccountAnalyticsWire; days: DayRange }) {
  const final = analytics.days.filter(({ status }) => status === "ready").length;
  return finalDaysText(final, days, analytics.before !== null);
}

function ChartUnavailable() {
  return (
    <Banner
      tone="low"
      isAnnounced
      action={
        <Button size="sm" onClick={() => location.reload()}>
          Try again<span className="sr-only">: the chart</span>
        </Button>
      }
    >
      The chart couldn't be loaded. The table has the same data.
    </Banner>
  );
}

/** An account's metrics, with one of them charted by day; read live from Pinterest. */
export function AccountSection({ account, days, metric, timeZone, onMetricChange }: AccountSectionProps) {
  const path = accountPath(account.id, days);
  const { data, error, isReloading, reload } = useApiQuery([path], (signal) =>
    api.get<AccountAnalyticsWire>(path, signal),
  );
  const [isTable, setTable] = useState(false);
  const chart = useRef<HTMLDivElement>(null);
  const name = METRIC_NAMES[metric];
  const chartDays = (data?.days ?? []).map(({ date, status, figures }) => ({
    date,
    value: figures?.[metric] ?? null,
    note: DAY_STATES[status],
  }));
  const hasGaps = chartDays.some(({ value }) => value === null);
  const gapText = data?.days.some(({ status }) => status === "processing") ? NOT_FINAL : NO_DATA;
  const legend: LegendEntry[] = [
    { mark: "line", text: name },
    ...(hasGaps ? [{ mark: "hatch", text: gapText } as const] : []),
  ];
  const isOpen = isTable && data !== null;

  const saveCsv = (analytics: AccountAnalyticsWire) => {
    const file = new Blob([daysCsv(analytics)], { type: "text/csv;charset=utf-8" });
    downloadBlob(file, fileName(account.username, "days", days, "csv"));
  };
  const saveImage = async () => {
    const svg = chart.current?.querySelector<SVGSVGElement>("svg.recharts-surface");
    if (!svg) return showToast(NO_IMAGE);
    try {
      const labels = { title: `${name} by day`, detail: `${account.username}, ${daysText(days)} (UTC)`, legend };
      downloadBlob(await chartImage(svg, labels), fileName(account.username, name, days, "png"));
    } catch (failure) {
      console.warn("A chart image could not be created", failure);
      showToast(NO_IMAGE);
    }
  };

  return (
    <AnalyticsSection
      headingId={HEADING}
      title="Account performance by day"
      note={
        <>
          {data ? <SumText analytics={data} days={days} /> : "All pins on this account, wherever they were created."}
          {data && <FetchedAt at={data.fetched_at} timeZone={timeZone} />}
        </>
      }
      // Not `disabled`: that would lose the focus while other days load.
      aside={
        <div className="flex gap-2">
          <Button size="sm" aria-disabled={!data} onClick={() => data && saveCsv(data)}>
            <Download aria-hidden="true" />
            CSV<span className="sr-only"> of daily metrics</span>
          </Button>
          <Button size="sm" aria-disabled={!data} onClick={() => data && void saveImage()}>
            <ImageDown aria-hidden="true" />
            PNG<span className="sr-only"> of the chart</span>
          </Button>
        </div>
      }
    >
      {error !== null && (
        <SectionError
          what="The account's metrics"
          accountId={account.id}
          error={error}
          focusId={HEADING}
          isRetrying={isReloading}
          onRetry={reload}
        />
      )}
      {(data || error === null) && (
        <div className="rounded-card bg-surface shadow-card overflow-hidden">
          <MetricPicker analytics={data} value={metric} onChange={onMetricChange} />
          <div ref={chart}>
            <SectionBoundary fallback={<ChartUnavailable />}>
              {data ? (
                <DaysChart metric={name.toLowerCase()} days={chartDays} formatDay={shortDay} />
              ) : (
                <ChartLoading />
              )}
            </SectionBoundary>
          </div>
          <div className="flex flex-wrap items-center justify-between gap-y-1.5 gap-x-5 pt-2 pb-3.5 pr-3.5 pl-5">
            <p
              data-slot="chart-legend"
              className={cn(
                "flex flex-wrap gap-y-1 gap-x-4.5 text-xs text-ink-3",
                "[&>span]:inline-flex [&>span]:items-center [&>span]:gap-[7px]",
              )}
            >
              {legend.map(({ mark, text }) => (
                <span key={mark}>
                  <i data-slot={`legend-${mark}`} className={MARKS[mark]} aria-hidden="true" /> {text}
                </span>
              ))}
            </p>
            <Button
              size="sm"
              variant="quiet"
              aria-disabled={!data}
              aria-expanded={isOpen}
              aria-controls={TABLE}
              onClick={() => data && setTable(!isOpen)}
            >
              {isOpen ? "Hide the table" : "Show as a table"}
            </Button>
          </div>
          <div id={TABLE}>{isOpen && <DaysTable days={data.days} />}</div>
        </div>
      )}
    </AnalyticsSection>
  );
}
