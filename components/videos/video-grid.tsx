"use client";

import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";
import { AddressButtons, VideoCard } from "./video-card.tsx";
import { columnsFor } from "./video-texts.ts";

/** The row that has the focus stays in a list of which only the rows in view are there: nobody's place is lost. */
export const useKeptRow = () => {
  const kept = useRef<number | null>(null);
  const rangeExtractor = useCallback((range: Range): number[] => {
    const shown = defaultRangeExtractor(range);
    const { current } = kept;
    if (current === null || current >= range.count || shown.includes(current)) return shown;
    return [...shown, current].toSorted((a, b) => a - b);
  }, []);
  const onFocus = useCallback((event: FocusEvent) => {
    const row = event.target.closest("[data-index]")?.getAttribute("data-index");
    kept.current = row ? Number(row) : null;
  }, []);
  const onBlur = useCallback(() => {
    kept.current = null;
  }, []);
  return { rangeExtractor, onFocus, onBlur };
};

/** A row before it has been measured, in pixels. */
const ROW_PX = 470;

export type VideoListProps = {
  videos: readonly ExtractedVideo[];
  selected: ReadonlySet<number>;
  onToggle: (id: number) => void;
  onCopy: (address: string) => void;
};

/** How many columns have room, and how far from the top of the page they begin. */
const usePlace = (place: RefObject<HTMLElement | null>): { columns: number; top: number } => {
  const [columns, setColumns] = useState(4);
  const [top, setTop] = useState(0);
  useEffect(() => {
    const { current } = place;
    if (!current) return;
    const observer = new ResizeObserver(() => setColumns(columnsFor(current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, [place]);
  // After every paint: banners above come and go.
  useLayoutEffect(() => {
    if (place.current) setTop(Math.round(place.current.getBoundingClientRect().top + window.scrollY));
  });
  return { columns, top };
};

type OneProps = Pick<VideoListProps, "onToggle" | "onCopy"> & {
  video: ExtractedVideo;
  isSelected: boolean;
};

const One = memo(function OneVideo({ video, isSelected, onToggle, onCopy }: OneProps) {
  return (
    <li className="min-w-0">
      <VideoCard video={video} isSelected={isSelected} onToggle={() => onToggle(video.id)}>
        <AddressButtons video={video} copyLabel="Copy" openLabel="Open" onCopy={onCopy} />
      </VideoCard>
    </li>
  );
});

/** Videos as cards. Only the rows near the screen are there, so that thousands weigh as much as a few. */
export function VideoGrid({ videos, selected, onToggle, onCopy }: VideoListProps) {
  const place = useRef<HTMLDivElement>(null);
  const { columns, top } = usePlace(place);
  const { rangeExtractor, ...keep } = useKeptRow();
  const rows = useWindowVirtualizer({
    count: Math.ceil(videos.length / columns),
    estimateSize: () => ROW_PX,
    overscan: 3,
    scrollMargin: top,
    getItemKey: (row) => `${columns}-${videos[row * columns]?.id ?? row}`,
    rangeExtractor,
  });
  return (
    <div ref={place} style={{ height: rows.getTotalSize() }} className="relative" {...keep}>
      {rows.getVirtualItems().map(({ key, index, start }) => (
        <ul
          key={key}
          ref={rows.measureElement}
          aria-label={`Videos ${index * columns + 1} to ${Math.min((index + 1) * columns, videos.length)}`}
          data-index={index}
          data-slot="video-row"
          className="absolute top-0 bottom-auto inset-x-0 grid gap-5.5 pb-5.5 max-md:gap-3 max-md:pb-3"
          style={{
            transform: `translateY(${start - top}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {videos.slice(index * columns, (index + 1) * columns).map((video) => (
            <One key={video.id} video={video} isSelected={selected.has(video.id)} onToggle={onToggle} onCopy={onCopy} />
          ))}
        </ul>
      ))}
    </div>
  );
}
