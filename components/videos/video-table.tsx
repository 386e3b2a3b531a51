"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import Copy from "lucide-react/icons/copy";
import { Fragment, memo, type ReactNode, useEffect, useRef } from "react";
import { DataTable } from "#components/shared/data-table.tsx";
import { CHECKBOX } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";
import { OutboundLink, Thumbnail } from "./video-card.tsx";
import { useFocusedRow, type VideoListProps } from "./video-grid.tsx";
import { CARD_HASHTAGS, durationText, nameOf, VIDEO_TEXTS, viewsText } from "./video-texts.ts";

type Cell = string | number;

type ScrolledTableProps = {
  caption: string;
  /** Shown when there are no rows. */
  empty: string;
  head: readonly string[];
  /** The first cell is the row header; numbers are right-aligned. */
  rows: readonly (readonly [key: string, ...cells: Cell[]])[];
  children?: ReactNode;
};

/** A table of numbers that scrolls below its header. */
export function ScrolledTable({ caption, empty, head, rows, children }: ScrolledTableProps) {
  return (
    <div className="rounded-card bg-surface shadow-card grid gap-3 min-w-0 pt-5 pb-0 px-0 overflow-hidden [&>h2]:px-5">
      <h2 className="title-3">{caption}</h2>
      {children}
      <section
        data-slot="table-scroll"
        className="max-h-[24rem] overflow-auto focus-visible:-outline-offset-3"
        aria-label={caption}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
      >
        <DataTable>
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr>
              {head.map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {cells.map((cell, at) => (
                  <td key={head[at + 1]}>{typeof cell === "number" ? cell.toLocaleString("en") : cell}</td>
                ))}
              </tr>
            ))}
            {rows.length === 0 && (
              <tr>
                <td colSpan={head.length}>{empty}</td>
              </tr>
            )}
          </tbody>
        </DataTable>
      </section>
    </div>
  );
}

/** Estimated row heights in pixels: in one line, and stacked. */
const ROW_PX = 64;
const STACKED_PX = 88;
/** Below about this table width rows are stacked; the CSS breakpoint uses the window. */
const STACKED_BELOW_PX = 900;
const COLUMNS = ["Video", "Creator", "Views", "Likes", "Duration", "Date", "Hashtags"] as const;

const hashtagsText = (hashtags: readonly string[]): string => {
  const more = hashtags.length - CARD_HASHTAGS;
  const some = hashtags.slice(0, CARD_HASHTAGS).map((hashtag) => `#${hashtag}`);
  return [...some, ...(more > 0 ? [`+${more} more`] : [])].join(" ");
};

const factsText = (video: ExtractedVideo): string => {
  const views = video.views_count?.trim() ? `${viewsText(video)} views` : "Views unknown";
  const likes = video.likes_count ? [`${video.likes_count} likes`] : [];
  const duration = durationText(video) ?? [];
  return [views, ...likes, duration, video.date_posted || VIDEO_TEXTS.noDate].flat().join(" · ");
};

function Author({ video }: { video: ExtractedVideo }) {
  return video.author ? <OutboundLink href={video.author_url}>@{video.author}</OutboundLink> : VIDEO_TEXTS.noAuthor;
}

/** Views, likes, duration, date and author in one line, for narrow screens. */
function Facts({ video }: { video: ExtractedVideo }) {
  return (
    <span
      className={cn(
        "hidden",
        "max-[64rem]:line-clamp-2 max-[64rem]:mt-[3px] max-[64rem]:py-px max-[64rem]:text-xs",
        "max-[64rem]:font-normal max-[64rem]:text-ink-3 max-[64rem]:wrap-anywhere",
        "max-[64rem]:[&>span]:block",
        "max-[64rem]:[&_a]:inline-block max-[64rem]:[&_a]:min-w-6 max-[64rem]:[&_a]:leading-[24px]",
        "max-[64rem]:[&_a:focus-visible]:-outline-offset-2 num",
      )}
    >
      <span>
        {factsText(video)} · {!video.author && "Creator: "}
        <Author video={video} />
      </span>
    </span>
  );
}

type RowProps = Pick<VideoListProps, "onToggle" | "onCopy"> & {
  video: ExtractedVideo;
  isSelected: boolean;
  index: number;
  measure: (row: HTMLTableRowElement | null) => void;
};

const Row = memo(function VideoRow({ video, isSelected, index, measure, onToggle, onCopy }: RowProps) {
  const name = nameOf(video);
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2} data-selected={isSelected}>
      <td>
        <input
          type="checkbox"
          className={cn(CHECKBOX, "max-md:relative max-md:before:absolute max-md:before:-inset-[13px]")}
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={() => onToggle(video.id)}
        />
      </td>
      <th scope="row">
        <span className="flex items-center gap-3 min-w-0 font-[550] max-[64rem]:leading-[1.3]">
          <span
            className="flex-none w-9 h-[45px] overflow-hidden rounded-[5px] bg-well [&>img]:size-full [&>img]:object-cover [&>span]:invisible"
            aria-hidden="true"
          >
            {video.thumbnail_url && <Thumbnail src={video.thumbnail_url} />}
          </span>
          <span
            className={cn(
              "min-w-0 [&>:first-child]:block [&>:first-child]:overflow-hidden [&>:first-child]:text-ellipsis",
              "max-[64rem]:[&>:first-child]:line-clamp-2 max-[64rem]:[&>:first-child]:wrap-anywhere",
            )}
          >
            <OutboundLink href={video.video_url} title={name}>
              {name}
            </OutboundLink>
            <Facts video={video} />
          </span>
        </span>
      </th>
      <td>
        <Author video={video} />
      </td>
      <td className="num">{viewsText(video)}</td>
      <td className="num">{video.likes_count || "–"}</td>
      <td className="num">{durationText(video) ?? "–"}</td>
      <td className="num">{video.date_posted || VIDEO_TEXTS.noDate}</td>
      <td>
        <span className="text-xs text-accent-ink">{hashtagsText(video.hashtags)}</span>
      </td>
      <td>
        <IconButton label={`Copy URL: ${name}`} onClick={() => onCopy(video.video_url)}>
          <Copy aria-hidden="true" />
        </IconButton>
      </td>
    </tr>
  );
});

/** Videos as a virtual table with a sticky header. */
export function VideoTable({ videos, selected, onToggle, onCopy }: VideoListProps) {
  const container = useRef<HTMLElement>(null);
  const { rangeExtractor, ...focusHandlers } = useFocusedRow();
  const rows = useVirtualizer({
    count: videos.length,
    getScrollElement: () => container.current,
    estimateSize: () => ((container.current?.clientWidth ?? 0) < STACKED_BELOW_PX ? STACKED_PX : ROW_PX),
    overscan: 8,
    rangeExtractor,
  });
  // The braces matter: newer browsers return a promise, which is not a cleanup function.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the top for another order or filter
  useEffect(() => {
    container.current?.scrollTo({ top: 0 });
  }, [videos]);
  const items = rows.getVirtualItems();
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <section
      ref={container}
      className="rounded-card bg-surface shadow-card max-h-[min(72dvh,760px)] overflow-auto"
      aria-label="Table of videos"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
    >
      <table
        className={cn(
          "w-full min-w-235 table-fixed border-collapse text-sm/[1.35] max-[64rem]:min-w-0",
          "[&_thead_th]:sticky [&_thead_th]:top-0 [&_thead_th]:z-1 [&_thead_th]:h-11 [&_thead_th]:py-0",
          "[&_thead_th]:px-3 [&_thead_th]:bg-surface [&_thead_th]:shadow-[inset_0_-1px_0_var(--line-2)]",
          "[&_thead_th]:text-left [&_thead_th]:text-xs [&_thead_th]:font-medium [&_thead_th]:text-ink-3",
          "[&_:is(th,_td):first-child]:w-12 [&_:is(th,_td):first-child]:pl-4",
          "[&_thead_th:nth-child(2)]:w-[26%] [&_thead_th:nth-child(4)]:w-24 [&_thead_th:nth-child(5)]:w-22",
          "[&_thead_th:nth-child(6)]:w-19.5 [&_thead_th:nth-child(7)]:w-27 [&_thead_th:last-child]:w-14.5",
          "[&_tbody_:is(th,_td)]:truncate [&_tbody_:is(th,_td)]:h-16 [&_tbody_:is(th,_td)]:py-0",
          "[&_tbody_:is(th,_td)]:px-3 [&_tbody_:is(th,_td)]:text-left [&_tbody_:is(th,_td)]:border-t",
          "[&_tbody_:is(th,_td)]:border-line",
          "[&_:is(th,_td):is(:nth-child(4),_:nth-child(5),_:nth-child(6))]:text-right",
          "[&_tr[data-selected='true']>*]:bg-accent-tint",
          "[&_a:hover]:underline [&_a:hover]:underline-offset-3",
          "max-[64rem]:[&_:is(th,_td):is(:nth-child(n_+_3):nth-child(-n_+_8))]:hidden",
          "max-[64rem]:[&_thead_th:nth-child(2)]:w-auto",
          "max-[64rem]:[&_tbody_:is(th,_td)]:h-22 max-[64rem]:[&_tbody_:is(th,_td)]:px-2",
          "max-[64rem]:[&_tbody_th]:whitespace-normal max-md:[&_:is(th,_td):first-child]:pl-3",
        )}
        aria-rowcount={videos.length + 1}
        {...focusHandlers}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <span className="sr-only">Selected</span>
            </th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">Copy</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ index, start }, at) => {
            const video = videos[index];
            const gap = start - (items[at - 1]?.end ?? 0);
            return (
              video && (
                <Fragment key={video.id}>
                  {gap > 0 && <tr className="[&]:border-0" style={{ height: gap }} />}
                  <Row
                    video={video}
                    isSelected={selected.has(video.id)}
                    index={index}
                    measure={rows.measureElement}
                    onToggle={onToggle}
                    onCopy={onCopy}
                  />
                </Fragment>
              )
            );
          })}
          {below > 0 && <tr className="[&]:border-0" style={{ height: below }} />}
        </tbody>
      </table>
    </section>
  );
}
