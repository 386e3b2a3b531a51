"use client";

import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import Download from "lucide-react/icons/download";
import Equal from "lucide-react/icons/equal";
import ImageDown from "lucide-react/icons/image-down";
import dynamic from "next/dynamic";
import { useId, useRef, useState } from "react";
import { chartPicture, type LegendEntry } from "#components/charts/chart-picture.ts";
import { ChartWaiting, DAYS_CHART } from "#components/charts/chart-waiting.tsx";
import { FiguresTable } from "#components/shared/figures-table.tsx";
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
import { countDays, type DayRange } from "#lib/features/analytics/policy.ts";
import type { AccountResultsWire, FiguresWire, ResultDayWire } from "#lib/features/analytics/schema.ts";
import { Part } from "./part.tsx";
import { PartBoundary, PartTrouble, ReadAt } from "./part-trouble.tsx";
import { DAY_STATES, daysCsv, fileName } from "./result-files.ts";
import { beforeText, changeOf, daysText, formatShare, longDay, METRIC_NAMES, shortDay } from "./result-words.ts";
import { accountPath } from "./results-query.ts";

/** A line below a figure. */
const LINE = cn("pointer-events-none relative flex min-h-[1.35em] items-center gap-1 text-xs/[1.35]");
const QUIET = "text-ink-3 group-has-checked:text-ink-2";
const RISEN = "font-[550] text-accent-ink";
const NUMBER = cn(
  "pointer-events-none relative flex min-h-[2.25rem] items-center font-display font-[360] tracking-[-0.022em]",
  "text-[clamp(1.5rem,0.9rem+1.4vw,2rem)]/[1.1] lining-nums tabular-nums",
);

const CAPTION = "Figures by day, in UTC";

/** The chart's figures, and the others, as a table; the newest day first. */
function DaysTable({ days }: { days: readonly ResultDayWire[] }) {
  return (
    <section
      data-slot="figures-scroll"
      className={cn(
        "overflow-auto max-h-[24rem] border-t border-line-2 focus-visible:-outline-offset-3",
        "[&_tr>:first-child]:sticky [&_tr>:first-child]:left-0 [&_tr>:first-child]:bg-surface",
        "[&_tr>:first-child]:whitespace-nowrap [&_thead_th:first-child]:z-1 [&_td[colspan]]:text-left",
      )}
      aria-label={CAPTION}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
    >
      <FiguresTable>
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
      </FiguresTable>
    </section>
  );
}

type FigureChoiceProps = {
  /** Null while Pinterest is asked. */
  results: AccountResultsWire | null;
  value: Metric;
  onChange: (metric: Metric) => void;
};

const ARROWS = { up: ArrowUp, down: ArrowDown, same: Equal } as const;

function Rate({ metric, sums }: { metric: Metric; sums: FiguresWire }) {
  if (metric === "impressions") return "times a pin was seen";
  if (sums.impressions === 0) return "nothing was seen";
  return `${formatShare(sums[metric] / sums.impressions)} of impressions`;
}

function Delta({ metric, results: { sums, before } }: { metric: Metric; results: AccountResultsWire }) {
  if (!before) return <span className={cn(LINE, QUIET)}>No older figures</span>;
  const { way, text } = changeOf(sums[metric], before.sums[metric]);
  const Arrow = ARROWS[way];
  return (
    <span className={way === "up" ? cn(LINE, RISEN) : cn(LINE, QUIET)}>
      <Arrow aria-hidden="true" className="size-[13px] flex-none stroke-[2.2]" />
      {text}
    </span>
  );
}

/** The lines between the five: in one row, on tablets in rows of two and three, on phones in rows of one, two and two. */
const CELLS = [
  "max-[64rem]:col-span-3 max-[64rem]:border-b max-md:col-span-full",
  "border-l max-[64rem]:col-span-3 max-[64rem]:border-b max-md:col-span-1 max-md:border-l-0",
  "border-l max-[64rem]:col-span-2 max-[64rem]:border-l-0 max-md:col-span-1 max-md:border-b max-md:border-l",
  "border-l max-[64rem]:col-span-2 max-md:col-span-1 max-md:border-l-0",
  "border-l max-[64rem]:col-span-2 max-md:col-span-1",
];

/** The account's five figures with rates and changes. Each is also the choice of what the chart shows. */
function FigureChoice({ results, value, onChange }: FigureChoiceProps) {
  const name = useId();
  return (
    <fieldset
      className="grid grid-cols-5 min-w-0 border-b border-line max-[64rem]:grid-cols-6 max-md:grid-cols-2"
      aria-busy={results === null}
    >
      <legend className="sr-only">Figure in the chart</legend>
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
          {results ? (
            <>
              <b className={NUMBER}>{results.ready_through === null ? "–" : formatCount(results.sums[metric])}</b>
              <span className={cn(LINE, QUIET, "num")}>
                {results.ready_through === null ? "not final yet" : <Rate metric={metric} sums={results.sums} />}
              </span>
              {results.ready_through === null ? (
                <span className={cn(LINE, QUIET)}>&nbsp;</span>
              ) : (
                <Delta metric={metric} results={results} />
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

const Waiting = () => <ChartWaiting className={DAYS_CHART} />;
const DaysChart = dynamic(() => import("#components/charts/days-chart.tsx"), { ssr: false, loading: Waiting });

const HEADING = "results-account";
const TABLE = "results-days";
const NO_PICTURE = "The picture could not be drawn. The CSV has the same figures.";
const NOT_FINAL = "Not final: Pinterest still counts";
const NOT_TOLD = "Pinterest told nothing";

type AccountPartProps = {
  account: { id: string; username: string };
  days: DayRange;
  figure: Metric;
  timeZone: string;
  onFigure: (figure: Metric) => void;
};

/** What the sums are of, and what they are compared with. */
function SumWords({ results, days }: { results: AccountResultsWire; days: DayRange }) {
  const final = results.days.filter(({ status }) => status === "ready").length;
  if (final === 0) return "None of these days is final yet: Pinterest counts for about two days.";
  const isWhole = final === countDays(days);
  const before = isWhole ? beforeText(days) : `as many of ${beforeText(days)}`;
  return (
    <>
      {isWhole ? `All ${final} days are final.` : `Sums of the ${final} days that are final.`}
      {results.before && ` Compared with ${before}.`}
    </>
  );
}

function ChartMissing() {
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
      The chart could not be loaded. The table has the same figures.
    </Banner>
  );
}

/** The five figures of an account, and one of them day by day. Read live from Pinterest and not kept. */
export function AccountPart({ account, days, figure, timeZone, onFigure }: AccountPartProps) {
  const path = accountPath(account.id, days);
  const { data, error, isReloading, reload } = useApiQuery([path], (signal) =>
    api.get<AccountResultsWire>(path, signal),
  );
  const [isTable, setTable] = useState(false);
  const chart = useRef<HTMLDivElement>(null);
  const name = METRIC_NAMES[figure];
  const chartDays = (data?.days ?? []).map(({ date, status, figures }) => ({
    date,
    value: figures?.[figure] ?? null,
    note: DAY_STATES[status],
  }));
  const hasGaps = chartDays.some(({ value }) => value === null);
  const gapText = data?.days.some(({ status }) => status === "processing") ? NOT_FINAL : NOT_TOLD;
  const legend: LegendEntry[] = [
    { mark: "line", text: name },
    ...(hasGaps ? [{ mark: "hatch", text: gapText } as const] : []),
  ];
  const isOpen = isTable && data !== null;

  const saveTable = (results: AccountResultsWire) => {
    const file = new Blob([daysCsv(results)], { type: "text/csv;charset=utf-8" });
    downloadBlob(file, fileName(account.username, "days", days, "csv"));
  };
  const savePicture = async () => {
    const drawing = chart.current?.querySelector<SVGSVGElement>("svg.recharts-surface");
    if (!drawing) return showToast(NO_PICTURE);
    try {
      const words = { title: `${name} by day`, detail: `${account.username}, ${daysText(days)} (UTC)`, legend };
      downloadBlob(await chartPicture(drawing, words), fileName(account.username, name, days, "png"));
    } catch (failure) {
      console.warn("A chart could not be drawn", failure);
      showToast(NO_PICTURE);
    }
  };

  return (
    <Part
      headingId={HEADING}
      title="The account day by day"
      note={
        <>
          {data ? <SumWords results={data} days={days} /> : "All its pins, wherever they were made."}
          {data && <ReadAt at={data.fetched_at} timeZone={timeZone} />}
        </>
      }
      // Not `disabled`: days that change otherwise than by their own buttons would take the focus away.
      aside={
        <div className="flex gap-2">
          <Button size="sm" aria-disabled={!data} onClick={() => data && saveTable(data)}>
            <Download aria-hidden="true" />
            CSV<span className="sr-only"> of the days</span>
          </Button>
          <Button size="sm" aria-disabled={!data} onClick={() => data && void savePicture()}>
            <ImageDown aria-hidden="true" />
            PNG<span className="sr-only"> of the chart</span>
          </Button>
        </div>
      }
    >
      {error !== null && (
        <PartTrouble
          what="The account’s figures"
          accountId={account.id}
          error={error}
          headingId={HEADING}
          isRetrying={isReloading}
          onRetry={reload}
        />
      )}
      {(data || error === null) && (
        <div className="rounded-card bg-surface shadow-card overflow-hidden">
          <FigureChoice results={data} value={figure} onChange={onFigure} />
          <div ref={chart}>
            <PartBoundary fallback={<ChartMissing />}>
              {data ? <DaysChart figure={name.toLowerCase()} days={chartDays} nameOf={shortDay} /> : <Waiting />}
            </PartBoundary>
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
    </Part>
  );
}
