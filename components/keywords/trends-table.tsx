"use client";

import Link from "next/link";
import { CHECKBOX } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { calendarUrl } from "#lib/core/paths.ts";
import type { SeasonWire, TrendWire } from "#lib/features/keywords/schema.ts";
import { dayText, growthText, ownPinsText, publishText } from "./keyword-texts.ts";
import { publishDays } from "./season-days.ts";
import { Sparkline } from "./sparkline.tsx";
import type { KeywordSelection } from "./use-selection.ts";

const HEAD = "px-3 py-2.5 text-left text-xs font-medium text-ink-3";

/** Where the columns don't fit, a row is a grid: the keyword above its labeled values. */
const ROW = cn(
  "max-xl:grid max-xl:grid-cols-3 max-xl:gap-3 max-xl:border-t max-xl:border-line max-xl:px-4 max-xl:py-4",
  "md:max-xl:grid-cols-[4rem_4rem_6rem_132px_minmax(0,1.4fr)_minmax(0,1fr)]",
);
const CELL = cn(
  "border-t border-line px-3 py-2.5 align-middle max-xl:border-0 max-xl:p-0",
  "max-xl:data-label:before:block max-xl:data-label:before:text-micro max-xl:data-label:before:text-ink-3",
  "max-xl:data-label:before:content-[attr(data-label)]",
);

type SeasonTextProps = { keyword: string; season: SeasonWire | null; accountId: string; today: string };

function SeasonText({ keyword, season, accountId, today }: SeasonTextProps) {
  const days = season && publishDays(season, today);
  if (!season) return <span className="text-ink-3">No clear season</span>;
  return (
    <>
      <span className="block font-medium">{publishText(season, today)}</span>
      <span className="block text-xs text-ink-3">Peaks around {dayText(season.peak_day)}</span>
      {days && (
        <Link
          className="link text-xs max-md:inline-flex max-md:min-h-11 max-md:items-center"
          href={calendarUrl(accountId, { days })}
          aria-label={`Plan in calendar for ${keyword}`}
          prefetch={false}
        >
          Plan in calendar
        </Link>
      )}
    </>
  );
}

type RowProps = { accountId: string; trend: TrendWire; today: string; selection: KeywordSelection };

function Row({ accountId, trend, today, selection }: RowProps) {
  const { keyword, growth, weeks, forecast, season, own_pins } = trend;
  const isSelected = selection.keywords.has(keyword);
  const changes = [
    ["Week", growth.week],
    ["Month", growth.month],
    ["Year", growth.year],
  ] as const;
  return (
    <tr className={ROW}>
      <th scope="row" className={cn(CELL, "pl-5 text-left font-medium wrap-anywhere max-xl:col-span-full")}>
        <label className="flex min-h-(--target-min) items-center gap-3">
          <input
            type="checkbox"
            className={CHECKBOX}
            checked={isSelected}
            disabled={!isSelected && selection.isFull}
            onChange={() => selection.toggle(keyword, season)}
          />
          {keyword}
        </label>
      </th>
      {changes.map(([name, percent]) => (
        <td
          key={name}
          data-label={name}
          className={cn(CELL, "text-right text-sm whitespace-nowrap num max-xl:text-left")}
        >
          {growthText(percent)}
        </td>
      ))}
      <td data-label="Searches" className={cn(CELL, "max-md:col-span-full")}>
        <Sparkline weeks={weeks} forecast={forecast} />
      </td>
      <td data-label="When to publish" className={cn(CELL, "text-sm/[1.35] max-md:col-span-full")}>
        <SeasonText keyword={keyword} season={season} accountId={accountId} today={today} />
      </td>
      <td data-label="Your pins" className={cn(CELL, "pr-5 text-sm/[1.35] max-md:col-span-full")}>
        <span className={own_pins ? undefined : "text-ink-3"}>{ownPinsText(own_pins)}</span>
      </td>
    </tr>
  );
}

type TrendsTableProps = {
  accountId: string;
  trends: readonly TrendWire[];
  /** UTC day. */
  today: string;
  selection: KeywordSelection;
};

/** Trends with growth, searches by week, season and the account's own pins. */
export function TrendsTable({ accountId, trends, today, selection }: TrendsTableProps) {
  return (
    <div className="overflow-x-auto rounded-card bg-surface shadow-card">
      <table className="w-full border-collapse max-xl:block">
        <caption className="sr-only">Search trends, the strongest first</caption>
        <thead className="max-xl:sr-only">
          <tr>
            <th scope="col" className={cn(HEAD, "pl-5")}>
              Keyword
            </th>
            {["Week", "Month", "Year"].map((name) => (
              <th key={name} scope="col" className={cn(HEAD, "text-right")}>
                <span className="sr-only">Growth in a </span>
                {name}
              </th>
            ))}
            <th scope="col" className={HEAD}>
              Searches
            </th>
            <th scope="col" className={HEAD}>
              When to publish
            </th>
            <th scope="col" className={cn(HEAD, "pr-5")}>
              Your pins
            </th>
          </tr>
        </thead>
        <tbody className="max-xl:block max-xl:[&>:first-child]:border-t-0">
          {trends.map((trend) => (
            <Row key={trend.keyword} accountId={accountId} trend={trend} today={today} selection={selection} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
