"use client";

import { useVirtualizer } from "@tanstack/react-virtual";
import Copy from "lucide-react/icons/copy";
import { Fragment, memo, type ReactNode, useEffect, useRef } from "react";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";
import { OuterLink, Thumbnail } from "./video-card.tsx";
import { useKeptRow, type VideoListProps } from "./video-grid.tsx";
import { CARD_HASHTAGS, nameOf, VIDEO_TEXTS, viewsText } from "./video-texts.ts";

type Cell = string | number;

type ScrolledTableProps = {
  caption: string;
  /** Shown instead of rows when there are none. */
  empty: string;
  head: readonly string[];
  /** The first cell names its row; numbers stand at the right. */
  rows: readonly (readonly [key: string, ...cells: Cell[]])[];
  children?: ReactNode;
};

/** A table of figures that scrolls under its head at a height of 24rem (R-VAN-04). */
export function ScrolledTable({ caption, empty, head, rows, children }: ScrolledTableProps) {
  return (
    <div className="card figures">
      <h2 className="title-3">{caption}</h2>
      {children}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className="figures-scroll" aria-label={caption} tabIndex={0}>
        <table className="figures-table num">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr>
              {head.map((word) => (
                <th key={word} scope="col">
                  {word}
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
        </table>
      </section>
    </div>
  );
}

/** Heights of a row before it has been measured, in pixels: in one line, and stacked. */
const ROW_PX = 64;
const STACKED_PX = 88;
/** Below about this width of the table its rows are stacked; the style sheet says by that of the window. */
const STACKED_BELOW_PX = 900;
const COLUMNS = ["Video", "Author", "Views", "Likes", "Date", "Hashtags"] as const;

const hashtagsText = (hashtags: readonly string[]): string => {
  const more = hashtags.length - CARD_HASHTAGS;
  const some = hashtags.slice(0, CARD_HASHTAGS).map((hashtag) => `#${hashtag}`);
  return [...some, ...(more > 0 ? [`+${more} more`] : [])].join(" ");
};

const factsText = (video: ExtractedVideo): string => {
  const views = video.views_count?.trim() ? `${viewsText(video)} views` : "Views unknown";
  const likes = video.likes_count ? [`${video.likes_count} likes`] : [];
  return [views, ...likes, video.date_posted || VIDEO_TEXTS.noDate].join(" · ");
};

function Author({ video }: { video: ExtractedVideo }) {
  return video.author ? <OuterLink href={video.author_url}>@{video.author}</OuterLink> : VIDEO_TEXTS.noAuthor;
}

/** Views, likes, date and author in one line, for screens that have no room for their columns. */
function Facts({ video }: { video: ExtractedVideo }) {
  return (
    <span className="video-table-facts num">
      <span>
        {factsText(video)} · {!video.author && "Author: "}
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
          className="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={() => onToggle(video.id)}
        />
      </td>
      <th scope="row">
        <span className="video-table-name">
          <span className="video-table-shot" aria-hidden="true">
            {video.thumbnail_url && <Thumbnail src={video.thumbnail_url} />}
          </span>
          <span className="video-table-title">
            <OuterLink href={video.video_url} title={name}>
              {name}
            </OuterLink>
            <Facts video={video} />
          </span>
        </span>
      </th>
      <td>
        <Author video={video} />
      </td>
      <td className="num">{viewsText(video)}</td>
      <td className="num">{video.likes_count || "–"}</td>
      <td className="num">{video.date_posted || VIDEO_TEXTS.noDate}</td>
      <td>
        <span className="video-table-tags">{hashtagsText(video.hashtags)}</span>
      </td>
      <td>
        <IconButton label={`Copy URL: ${name}`} onClick={() => onCopy(video.video_url)}>
          <Copy aria-hidden="true" />
        </IconButton>
      </td>
    </tr>
  );
});

/** Videos as a table with a head that stays; only the rows in view are there. */
export function VideoTable({ videos, selected, onToggle, onCopy }: VideoListProps) {
  const place = useRef<HTMLElement>(null);
  const { rangeExtractor, ...keep } = useKeptRow();
  const rows = useVirtualizer({
    count: videos.length,
    getScrollElement: () => place.current,
    estimateSize: () => ((place.current?.clientWidth ?? 0) < STACKED_BELOW_PX ? STACKED_PX : ROW_PX),
    overscan: 8,
    rangeExtractor,
  });
  // Another order or filter begins at its beginning. In braces: newer browsers return a promise, which is no clean-up.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    place.current?.scrollTo({ top: 0 });
  }, [videos]);
  const items = rows.getVirtualItems();
  const below = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section ref={place} className="card video-table-place" aria-label="Table of videos" tabIndex={0}>
      <table className="video-table" aria-rowcount={videos.length + 1} {...keep}>
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
                  {gap > 0 && <tr className="video-table-gap" style={{ height: gap }} />}
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
          {below > 0 && <tr className="video-table-gap" style={{ height: below }} />}
        </tbody>
      </table>
    </section>
  );
}
