"use client";

import ImageOff from "lucide-react/icons/image-off";
import { useId, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { CHECKBOX } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Input } from "#components/ui/input.tsx";
import { countOf } from "#lib/core/text.ts";
import { KEYWORD_MAX } from "#lib/features/generation/constants.ts";
import { dateText, type PageRow, pinnedText } from "./site-texts.ts";
import type { SelectedPages } from "./use-selected-pages.ts";

const HEAD = "px-3 py-2.5 text-left text-xs font-medium text-ink-3";

/** Where the columns don't fit, a row is a grid: the page above its labeled values. */
const ROW = cn(
  "max-xl:grid max-xl:grid-cols-2 max-xl:gap-x-4 max-xl:gap-y-3 max-xl:border-t max-xl:border-line max-xl:px-4",
  "max-xl:py-4 md:max-xl:grid-cols-[8rem_10rem_minmax(0,1fr)]",
);
const CELL = cn(
  "border-t border-line px-3 py-2.5 align-middle max-xl:border-0 max-xl:p-0",
  "max-xl:data-label:before:block max-xl:data-label:before:pb-1 max-xl:data-label:before:text-micro",
  "max-xl:data-label:before:text-ink-3 max-xl:data-label:before:content-[attr(data-label)]",
);

/** The page's image; a mark without one, or when it can't be loaded. Only https images are allowed here. */
function Thumbnail({ url }: { url: string | null }) {
  const [isBroken, setBroken] = useState(false);
  const source = url?.startsWith("https:") && !isBroken ? url : null;
  return (
    <span className="grid size-12 flex-none place-items-center overflow-hidden rounded-[8px] bg-well text-ink-3">
      {source ? (
        // biome-ignore lint/performance/noImgElement: loaded from the user's site, not through our server
        <img
          src={source}
          alt=""
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          className="size-full object-cover"
          onError={() => setBroken(true)}
        />
      ) : (
        <ImageOff aria-hidden="true" size={18} strokeWidth={1.7} />
      )}
    </span>
  );
}

type RowProps = { row: PageRow; selection: SelectedPages };

function Row({ row, selection }: RowProps) {
  const { url, title, image_url, date, problem } = row;
  const isSelected = selection.has(url);
  const id = useId();
  return (
    <tr className={ROW} data-slot="page-row">
      <th scope="row" className={cn(CELL, "pl-5 text-left font-medium max-xl:col-span-full")}>
        <label className="flex min-h-(--target-min) items-center gap-3">
          <input
            type="checkbox"
            className={CHECKBOX}
            aria-label={title}
            aria-describedby={`${id}-url${problem ? ` ${id}-problem` : ""}`}
            checked={isSelected}
            disabled={problem !== null || (!isSelected && selection.isFull)}
            onChange={() => selection.toggle(row)}
          />
          <Thumbnail url={image_url} />
          <span className="min-w-0">
            <span className="line-clamp-2 wrap-anywhere">{title}</span>
            <span id={`${id}-url`} className="block text-xs font-normal wrap-anywhere text-ink-3">
              {url.replace(/^https?:\/\//, "")}
            </span>
            {problem && (
              <span id={`${id}-problem`} className="mt-1 block text-xs font-normal text-failed-ink">
                {problem}
              </span>
            )}
          </span>
        </label>
      </th>
      <td data-label="Date" className={cn(CELL, "text-sm/[1.35] whitespace-nowrap num")}>
        {dateText(date)}
      </td>
      <td data-label="Last pinned" className={cn(CELL, "text-sm/[1.35]")}>
        <span className={row.pins > 0 ? undefined : "text-ink-3"}>{pinnedText(row)}</span>
      </td>
      <td data-label="Keyword" className={cn(CELL, "pr-5 max-md:col-span-full")}>
        <Input
          aria-label={`Keyword for ${title}`}
          className="w-full min-w-44"
          value={selection.keywordOf(row)}
          maxLength={KEYWORD_MAX}
          disabled={problem !== null}
          onChange={({ target }) => selection.setKeyword(row, target.value)}
          // What is sent without a keyword is shown.
          onBlur={({ target }) => target.value.trim() === "" && selection.setKeyword(row, row.keyword)}
        />
      </td>
    </tr>
  );
}

const SHOWN_AT_ONCE = 50;

type PagesTableProps = { caption: string; rows: readonly PageRow[]; selection: SelectedPages };

/** Pages with image, date, the user's own pins, and a keyword that can be edited. */
export function PagesTable({ caption, rows, selection }: PagesTableProps) {
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const usable = rows.filter(({ problem }) => problem === null);
  const unselected = usable.filter(({ url }) => !selection.has(url));
  return (
    <>
      <div className="overflow-x-auto rounded-card bg-surface shadow-card">
        <table className="w-full border-collapse max-xl:block">
          <caption className="sr-only">{caption}</caption>
          <thead className="max-xl:sr-only">
            <tr>
              <th scope="col" className={cn(HEAD, "w-[44%] pl-5")}>
                Page
              </th>
              <th scope="col" className={HEAD}>
                Date
              </th>
              <th scope="col" className={HEAD}>
                Last pinned
              </th>
              <th scope="col" className={cn(HEAD, "w-[26%] pr-5")}>
                Keyword
              </th>
            </tr>
          </thead>
          <tbody className="max-xl:block max-xl:[&>:first-child]:border-t-0">
            {rows.slice(0, shown).map((row) => (
              <Row key={row.url} row={row} selection={selection} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        {unselected.length > 0 && !selection.isFull && (
          <Button size="sm" variant="quiet" onClick={() => selection.add(usable)}>
            Select all
          </Button>
        )}
        {rows.length > shown && (
          <Button size="sm" variant="quiet" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            Show {countOf(Math.min(SHOWN_AT_ONCE, rows.length - shown), "more page")}
          </Button>
        )}
      </div>
    </>
  );
}
