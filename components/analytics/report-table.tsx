"use client";

import Link from "next/link";
import { type ReactNode, useRef, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { creatorAddress } from "#lib/core/paths.ts";
import { formatCount } from "#lib/core/text.ts";
import { IMPRESSIONS_MIN, TEXTS } from "#lib/features/analytics/constants.ts";
import type { ReportWire, ResultRowWire } from "#lib/features/analytics/schema.ts";
import {
  AVERAGE_LINE,
  averageOf,
  DIMENSION_NAMES,
  DIMENSION_WORDS,
  isBelow,
  RateRange,
  scaleOf,
} from "./judge-report.tsx";
import { countOf, formatShare } from "./result-words.ts";

/** Rows that are shown before somebody asks for more, and how many come each time. */
const SHOWN = 8;
const STEP = 50;

type ReportTableProps = {
  report: ReportWire;
  labelOf: (row: ResultRowWire) => string;
  creatorPath: string;
  /** What can be done with the table, at its head. */
  tools: ReactNode;
};

const HEAD = "pt-3.5 pb-2.5 text-xs font-medium text-ink-3 text-balance";

/** On small screens a row is a grid: the name over its numbers, which say what they are. */
const ROW = cn(
  "max-md:grid max-md:grid-cols-[minmax(0,0.8fr)_minmax(0,1.4fr)_minmax(0,1fr)_minmax(0,0.9fr)] max-md:gap-y-2",
  "max-md:gap-x-3.5 max-md:border-t max-md:border-line max-md:px-4",
);
const CELL = "border-t border-line align-middle max-md:border-0 max-md:p-0";
const NUMBER = cn(
  CELL,
  "px-3 text-right max-md:text-left max-md:before:block max-md:before:text-micro max-md:before:text-ink-3",
  "max-md:before:content-[attr(data-word)]",
);

type RowProps = {
  row: ResultRowWire;
  label: string;
  /** Where more pins of its kind are made. */
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
    ["Clicks", figures.outbound_clicks],
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
      <td data-word="Pins" className={cn(NUMBER, tone)}>
        {formatCount(pins)}
        {counted_pins < pins && <span className="block text-xs text-ink-3">{formatCount(counted_pins)} counted</span>}
      </td>
      {numbers.map(([word, value]) => (
        <td key={word} data-word={word} className={cn(NUMBER, tone)}>
          {counted_pins === 0 ? "–" : formatCount(value)}
        </td>
      ))}
      <td
        className={cn(
          CELL,
          tone,
          "w-[34%] pl-3 pr-5.5 text-left max-md:w-auto",
          // What says nothing yet takes no line of its own.
          isQuiet
            ? "max-md:col-[3_/_-1] max-md:row-start-1 max-md:text-right"
            : "max-md:col-span-full max-md:row-start-2",
        )}
      >
        {is_undecided ? (
          <span className="italic font-display">{counted_pins === 0 ? "No figures yet" : TEXTS.tooEarly}</span>
        ) : (
          <RateRange row={row} average={average} scale={scale} />
        )}
      </td>
    </tr>
  );
}

type PartProps = Pick<ReportTableProps, "report" | "labelOf" | "creatorPath"> & {
  shown: readonly ResultRowWire[];
  scale: number;
};

/** The shown rows: those that were judged, those seen too seldom, those without figures. */
function Parts({ report, shown, scale, labelOf, creatorPath }: PartProps) {
  const { by, undecided } = report;
  const { one, many } = DIMENSION_WORDS[by];
  const average = averageOf(report);
  const parts = [
    { name: "judged", rows: shown.filter((row) => !row.is_undecided) },
    { name: "early", rows: shown.filter((row) => row.is_undecided && row.counted_pins > 0) },
    { name: "uncounted", rows: shown.filter((row) => row.counted_pins === 0) },
  ].filter((part) => part.rows.length > 0);
  /** More is proposed of what was clicked, unless it is surely clicked less often than the others. */
  const canRepeat = (row: ResultRowWire): boolean =>
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
            {TEXTS.tooEarly}: {undecided === 1 ? `one ${one}` : `${formatCount(undecided)} ${many}`} seen fewer than{" "}
            {formatCount(IMPRESSIONS_MIN)} times
          </th>
        </tr>
      )}
      {rows.map((row) => (
        <Row
          key={row.key}
          row={row}
          label={labelOf(row)}
          moreHref={canRepeat(row) ? creatorAddress(creatorPath, [labelOf(row)]) : null}
          average={average}
          scale={scale}
        />
      ))}
    </tbody>
  ));
}

type PagesProps = {
  /** Rows that are shown, rows that are here, and groups that there are. */
  shown: number;
  listed: number;
  total: number;
  many: string;
  onShow: (count: number) => void;
};

/** The way to further rows, and back to the first. The one button stays whatever it offers, and so does the focus. */
function Pages({ shown, listed, total, many, onShow }: PagesProps) {
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

/** The groups in their order: the best by the cautious estimate first, those seen too seldom quietly at the end. */
export function ReportTable({ report, labelOf, creatorPath, tools }: ReportTableProps) {
  const [wanted, setWanted] = useState(SHOWN);
  const { by, rows, more } = report;
  const { one, many } = DIMENSION_WORDS[by];
  const average = averageOf(report);
  const shown = rows.slice(0, wanted);
  const total = rows.length + more;
  const isPart = rows.length > SHOWN;
  const head = useRef<HTMLDivElement>(null);
  const show = (count: number) => {
    setWanted(count);
    // Whoever folds up hundreds of rows would else stand far below the table.
    if (count < wanted) head.current?.scrollIntoView({ block: "start" });
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
          <b>{total === 1 ? `One ${one}` : `${formatCount(total)} ${many}`}</b>
          {shown.length < total && `, the first ${formatCount(shown.length)} shown`}
        </p>
        {tools}
      </div>
      <table className="w-full border-collapse text-ui/[1.4] num">
        <caption className="sr-only">Results by {one}, the surest first</caption>
        <thead className="max-md:hidden">
          <tr>
            <th scope="col" className={cn(HEAD, "pl-5.5 pr-3 text-left")}>
              {DIMENSION_NAMES[by]}
            </th>
            {["Pins", "Impressions", "Clicks", "Saves"].map((name) => (
              <th key={name} scope="col" className={cn(HEAD, "px-3 text-right")}>
                {name}
              </th>
            ))}
            <th scope="col" className={cn(HEAD, "pl-3 pr-5.5 text-left")}>
              Click rate, and where it likely lies
            </th>
          </tr>
        </thead>
        <Parts
          report={report}
          shown={shown}
          scale={scaleOf(rows, average ?? 0)}
          labelOf={labelOf}
          creatorPath={creatorPath}
        />
      </table>
      {(average !== null || isPart) && (
        <div
          className={cn(
            "flex flex-wrap items-center justify-between gap-y-2.5 gap-x-5 py-3 px-5.5 text-xs text-ink-3",
            "border-t border-line-2 max-md:px-4",
          )}
        >
          {average !== null && (
            <p>
              <i className={cn(AVERAGE_LINE, "mr-1.5 inline-block h-3.5 align-[-3px]")} aria-hidden="true" /> All pins
              together: {formatShare(average)}
            </p>
          )}
          {more > 0 && shown.length === rows.length && (
            <p>
              {countOf(more, `more ${one}`)} ranked lower {more === 1 ? "is" : "are"} not listed.
            </p>
          )}
          {isPart && <Pages shown={shown.length} listed={rows.length} total={total} many={many} onShow={show} />}
        </div>
      )}
    </div>
  );
}
