"use client";

import Link from "next/link";
import { type ReactNode, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { creatorUrl } from "#lib/core/paths.ts";
import { countOf, formatCount } from "#lib/core/text.ts";
import { IMPRESSIONS_MIN, TEXTS } from "#lib/features/analytics/constants.ts";
import type { ReportRowWire, ReportWire } from "#lib/features/analytics/schema.ts";
import { formatShare } from "./analytics-text.ts";
import {
  AVERAGE_LINE,
  averageOf,
  DIMENSION_NAMES,
  DIMENSION_NOUNS,
  isBelow,
  RateRange,
  scaleOf,
} from "./evaluate-report.tsx";

const SHOWN = 8;
const STEP = 50;

type ReportTableProps = {
  report: ReportWire;
  labelOf: (row: ReportRowWire) => string;
  creatorPath: string;
  /** Actions at the top of the table. */
  tools: ReactNode;
};

const HEAD = "pt-3.5 pb-2.5 text-xs font-medium text-ink-3 text-balance";

/** On phones a row is a grid: the name above its labeled numbers. */
const ROW = cn(
  "max-md:grid max-md:grid-cols-[minmax(0,0.8fr)_minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,0.9fr)] max-md:gap-y-2",
  "max-md:gap-x-3.5 max-md:border-t max-md:border-line max-md:px-4",
);
const CELL = "border-t border-line align-middle max-md:border-0 max-md:p-0";
const NUMBER = cn(
  CELL,
  "px-3 text-right max-md:text-left max-md:before:block max-md:before:text-micro max-md:before:text-ink-3",
  "max-md:before:content-[attr(data-label)]",
);

type RowProps = {
  row: ReportRowWire;
  label: string;
  /** Link to the creator, for more pins of the keyword. */
  moreHref: string | null;
  average: number | null;
  scale: number;
};

function Row({ row, label, moreHref, average, scale }: RowProps) {
  const { figures, pins, counted_pins, is_undecided } = row;
  const isQuiet = is_undecided || counted_pins === 0;
  const tone = isQuiet ? "py-[9px] text-ink-3" : "py-[13px]";
  const numbers = [
    ["Impressions", figures.impressions],
    ["Outbound clicks", figures.outbound_clicks],
    ["Saves", figures.saves],
  ] as const;
  return (
    <tr className={cn(ROW, "max-md:py-3.5 max-md:[tbody:first-of-type>&:first-child]:border-t-0")}>
      <th
        scope="row"
        className={cn(
          CELL,
          tone,
          "pl-5.5 pr-3 text-left font-display text-[1.0625rem]/[1.25] font-[450] tracking-[-0.012em] wrap-anywhere",
          isQuiet ? "max-md:col-[1_/_3]" : "max-md:col-span-full",
          "max-w-[22rem] max-md:max-w-none",
        )}
      >
        {label}
        {moreHref && (
          <Link
            href={moreHref}
            className={cn(
              "block w-fit font-sans text-xs/[1.4] font-medium tracking-[0]",
              "max-md:min-h-11 max-md:inline-flex max-md:items-center max-md:float-right max-md:my-[-11px]",
              "max-md:mr-0 max-md:ml-3 max-md:text-sm link",
            )}
          >
            More like this<span className="sr-only">: {label}</span>
          </Link>
        )}
      </th>
      <td data-label="Pins" className={cn(NUMBER, tone)}>
        {formatCount(pins)}
        {counted_pins < pins && <span className="block text-xs text-ink-3">{formatCount(counted_pins)} with data</span>}
      </td>
      {numbers.map(([name, value]) => (
        <td key={name} data-label={name} className={cn(NUMBER, tone)}>
          {counted_pins === 0 ? "–" : formatCount(value)}
        </td>
      ))}
      <td
        className={cn(
          CELL,
          tone,
          "w-[34%] pl-3 pr-5.5 text-left max-md:w-auto",
          // Without a rate the cell needs no line of its own.
          isQuiet
            ? "max-md:col-[3_/_-1] max-md:row-start-1 max-md:text-right"
            : "max-md:col-span-full max-md:row-start-2",
        )}
      >
        {is_undecided ? (
          <span className="italic font-display">{counted_pins === 0 ? "No metrics yet" : TEXTS.tooEarly}</span>
        ) : (
          <RateRange row={row} average={average} scale={scale} />
        )}
      </td>
    </tr>
  );
}

type TableBodiesProps = Pick<ReportTableProps, "report" | "labelOf" | "creatorPath"> & {
  shown: readonly ReportRowWire[];
  scale: number;
};

/** The rows in three bodies: with enough data, with too few impressions, and without metrics. */
function TableBodies({ report, shown, scale, labelOf, creatorPath }: TableBodiesProps) {
  const { by, undecided } = report;
  const { one, many } = DIMENSION_NOUNS[by];
  const average = averageOf(report);
  const parts = [
    { name: "ranked", rows: shown.filter((row) => !row.is_undecided) },
    { name: "early", rows: shown.filter((row) => row.is_undecided && row.counted_pins > 0) },
    { name: "uncounted", rows: shown.filter((row) => row.counted_pins === 0) },
  ].filter((part) => part.rows.length > 0);
  const canMakeMore = (row: ReportRowWire): boolean =>
    by === "keyword" && !row.is_undecided && row.key !== "" && row.figures.outbound_clicks > 0 && !isBelow(row, report);
  return parts.map(({ name, rows }) => (
    <tbody key={name} data-part={name}>
      {name === "early" && (
        <tr
          data-slot="report-break"
          className={cn(ROW, "max-md:bg-well max-md:py-2.5 max-md:[tbody:first-of-type>&:first-child]:border-t-0")}
        >
          <th
            scope="rowgroup"
            colSpan={6}
            className={cn(
              CELL,
              "bg-well px-5.5 py-[9px] text-left text-xs/[1.4] font-[550] tracking-[0] text-ink-3 wrap-anywhere max-md:col-span-full",
            )}
          >
            {TEXTS.tooEarly}: {undecided === 1 ? `one ${one}` : `${formatCount(undecided)} ${many}`} with fewer than{" "}
            {formatCount(IMPRESSIONS_MIN)} impressions
          </th>
        </tr>
      )}
      {rows.map((row) => (
        <Row
          key={row.key}
          row={row}
          label={labelOf(row)}
          moreHref={canMakeMore(row) ? creatorUrl(creatorPath, [labelOf(row)]) : null}
          average={average}
          scale={scale}
        />
      ))}
    </tbody>
  ));
}

type ShowMoreProps = {
  /** Visible rows, loaded rows, and all groups. */
  shown: number;
  listed: number;
  total: number;
  many: string;
  onShow: (count: number) => void;
};

/** Shows more rows, or the first ones again. The same button does both, so that it keeps the focus. */
function ShowMore({ shown, listed, total, many, onShow }: ShowMoreProps) {
  const next = useRef<HTMLButtonElement>(null);
  const rest = listed - shown;
  const back = `Show the first ${SHOWN}`;
  return (
    <div className="ml-auto flex flex-wrap gap-2 max-md:w-full max-md:*:w-full">
      <Button ref={next} size="sm" onClick={() => onShow(rest > 0 ? shown + Math.min(STEP, rest) : SHOWN)}>
        {rest > 0 ? `Show ${formatCount(Math.min(STEP, rest))} more of ${formatCount(total)} ${many}` : back}
      </Button>
      {rest > 0 && shown > SHOWN && (
        <Button
          size="sm"
          variant="quiet"
          onClick={() => {
            next.current?.focus({ preventScroll: true });
            onShow(SHOWN);
          }}
        >
          {back}
        </Button>
      )}
    </div>
  );
}

/** The ranked groups; those with too few impressions are muted at the end. */
export function ReportTable({ report, labelOf, creatorPath, tools }: ReportTableProps) {
  const [visibleCount, setVisibleCount] = useState(SHOWN);
  const { by, rows, more } = report;
  const { one, many } = DIMENSION_NOUNS[by];
  const average = averageOf(report);
  const shown = rows.slice(0, visibleCount);
  const total = rows.length + more;
  const isLong = rows.length > SHOWN;
  const head = useRef<HTMLDivElement>(null);
  const show = (count: number) => {
    setVisibleCount(count);
    // Collapsing hundreds of rows would otherwise leave the user far below the table.
    if (count < visibleCount) head.current?.scrollIntoView({ block: "start" });
  };
  return (
    <div ref={head} data-slot="report" className="rounded-card bg-surface shadow-card overflow-hidden">
      <div
        className={cn(
          "flex items-center justify-between gap-y-2.5 gap-x-5 pt-3.5 pb-1 px-5.5 text-sm/[1.4] text-ink-3",
          "max-md:px-4 max-md:pb-3 max-md:border-b max-md:border-line [&_b]:font-[550] [&_b]:text-ink",
        )}
      >
        <p role="status">
          <b>
            {shown.length < total && `Showing ${formatCount(shown.length)} of `}
            {total === 1 ? `One ${one}` : `${formatCount(total)} ${many}`}
          </b>
        </p>
        {tools}
      </div>
      <table className="w-full border-collapse text-ui/[1.4] num">
        <caption className="sr-only">Metrics by {one}, highest confidence first</caption>
        <thead className="max-md:hidden">
          <tr>
            <th scope="col" className={cn(HEAD, "pl-5.5 pr-3 text-left")}>
              {DIMENSION_NAMES[by]}
            </th>
            {["Pins", "Impressions", "Outbound clicks", "Saves"].map((name) => (
              <th key={name} scope="col" className={cn(HEAD, "px-3 text-right")}>
                {name}
              </th>
            ))}
            <th scope="col" className={cn(HEAD, "pl-3 pr-5.5 text-left")}>
              Click rate and likely range
            </th>
          </tr>
        </thead>
        <TableBodies
          report={report}
          shown={shown}
          scale={scaleOf(rows, average ?? 0)}
          labelOf={labelOf}
          creatorPath={creatorPath}
        />
      </table>
      {(average !== null || isLong) && (
        <div
          className={cn(
            "flex flex-wrap items-center justify-between gap-y-2.5 gap-x-5 py-3 px-5.5 text-xs text-ink-3",
            "border-t border-line-2 max-md:px-4",
          )}
        >
          {average !== null && (
            <p>
              <i className={cn(AVERAGE_LINE, "mr-1.5 inline-block h-3.5 align-[-3px]")} aria-hidden="true" /> All pins:{" "}
              {formatShare(average)}
            </p>
          )}
          {more > 0 && shown.length === rows.length && (
            <p>
              {countOf(more, `lower-ranked ${one}`)} {more === 1 ? "isn't" : "aren't"} shown.
            </p>
          )}
          {isLong && <ShowMore shown={shown.length} listed={rows.length} total={total} many={many} onShow={show} />}
        </div>
      )}
    </div>
  );
}
