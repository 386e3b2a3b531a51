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
import { LinkButtons, VideoCard } from "./video-card.tsx";
import { columnsFor } from "./video-texts.ts";

/** Keeps the focused row in the DOM of a virtual list, so that the focus is not lost. */
export const useFocusedRow = () => {
  const focusedRow = useRef<number | null>(null);
  const rangeExtractor = useCallback((range: Range): number[] => {
    const shown = defaultRangeExtractor(range);
    const { current } = focusedRow;
    if (current === null || current >= range.count || shown.includes(current)) return shown;
    return [...shown, current].toSorted((a, b) => a - b);
  }, []);
  const onFocus = useCallback((event: FocusEvent) => {
    const row = event.target.closest("[data-index]")?.getAttribute("data-index");
    focusedRow.current = row ? Number(row) : null;
  }, []);
  const onBlur = useCallback(() => {
    focusedRow.current = null;
  }, []);
  return { rangeExtractor, onFocus, onBlur };
};

/** The estimated row height in pixels. */
const ROW_PX = 470;

export type VideoListProps = {
  videos: readonly ExtractedVideo[];
  selected: ReadonlySet<number>;
  onToggle: (id: number) => void;
  onCopy: (url: string) => void;
};

/** The number of columns, and the grid's offset from the top of the page. */
const useGridPosition = (container: RefObject<HTMLElement | null>): { columns: number; top: number } => {
  const [columns, setColumns] = useState(4);
  const [top, setTop] = useState(0);
  useEffect(() => {
    const { current } = container;
    if (!current) return;
    const observer = new ResizeObserver(() => setColumns(columnsFor(current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, [container]);
  // After every render, because banners above come and go.
  useLayoutEffect(() => {
    if (container.current) setTop(Math.round(container.current.getBoundingClientRect().top + window.scrollY));
  });
  return { columns, top };
};

type GridItemProps = Pick<VideoListProps, "onToggle" | "onCopy"> & {
  video: ExtractedVideo;
  isSelected: boolean;
};

const GridItem = memo(function OneVideo({ video, isSelected, onToggle, onCopy }: GridItemProps) {
  return (
    <li className="min-w-0">
      <VideoCard video={video} isSelected={isSelected} onToggle={() => onToggle(video.id)}>
        <LinkButtons video={video} copyLabel="Copy" openLabel="Open" onCopy={onCopy} />
      </VideoCard>
    </li>
  );
});

/** Videos as cards in a virtual list. */
export function VideoGrid({ videos, selected, onToggle, onCopy }: VideoListProps) {
  const container = useRef<HTMLDivElement>(null);
  const { columns, top } = useGridPosition(container);
  const { rangeExtractor, ...focusHandlers } = useFocusedRow();
  const rows = useWindowVirtualizer({
    count: Math.ceil(videos.length / columns),
    estimateSize: () => ROW_PX,
    overscan: 3,
    scrollMargin: top,
    getItemKey: (row) => `${columns}-${videos[row * columns]?.id ?? row}`,
    rangeExtractor,
  });
  return (
    <div ref={container} style={{ height: rows.getTotalSize() }} className="relative" {...focusHandlers}>
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
            <GridItem
              key={video.id}
              video={video}
              isSelected={selected.has(video.id)}
              onToggle={onToggle}
              onCopy={onCopy}
            />
          ))}
        </ul>
      ))}
    </div>
  );
}
