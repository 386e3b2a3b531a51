"use client";

import X from "lucide-react/icons/x";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { useScreenKeys } from "#components/shared/keyboard.ts";
import { Banner, type BannerTone } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { countOf } from "./video-texts.ts";

type SearchFieldProps = {
  className?: string;
  label: string;
  placeholder: string;
  value: string;
  maxLength: number;
  onChange: (text: string) => void;
  /** Letters of the screen besides `/`, which leads here. */
  keys?: Readonly<Record<string, () => void>>;
};

/** Narrows a list of videos. `/` leads here, Escape empties it. */
export function SearchField({ keys, value, onChange, ...box }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useScreenKeys({
    ...keys,
    "/": () => {
      field.current?.focus();
      field.current?.select();
    },
  });
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.key !== "Escape" || value === "") return;
    event.preventDefault();
    onChange("");
  };
  return (
    <SearchBox {...box} fieldRef={field} aria-keyshortcuts="/" value={value} onChange={onChange} onKeyDown={press} />
  );
}

type SelectionLineProps = {
  count: number;
  /** What a selection is for, said while there is none. */
  hint: string;
  onClear: () => void;
  /** What can be done with the selected. */
  children?: ReactNode;
};

/**
 * How many videos are selected, and letting them go (R-VID-15). It keeps its height without a selection, so that the
 * first one moves nothing, and with one it stays in view while the list scrolls.
 */
export function SelectionLine({ count, hint, onClear, children }: SelectionLineProps) {
  const line = useRef<HTMLDivElement>(null);
  const hadFocus = useRef(false);
  const isEmpty = count === 0;
  // Its buttons go with the selection; whoever pressed one goes on from here.
  useLayoutEffect(() => {
    if (!isEmpty || !hadFocus.current) return;
    hadFocus.current = false;
    if (document.activeElement === document.body) line.current?.focus({ preventScroll: true });
  }, [isEmpty]);
  return (
    <div
      ref={line}
      role="status"
      tabIndex={-1}
      data-slot="video-selection"
      className={cn(
        "max-md:[&_button]:min-h-11",
        "flex flex-wrap items-center justify-between gap-y-2 gap-x-3 min-h-13 mb-5 py-2 pr-2 pl-4",
        "rounded-[10px] bg-accent-tint text-accent-ink text-sm font-[550] focus:outline-none",
        "data-[empty=true]:bg-well data-[empty=true]:text-ink-2 data-[empty=true]:font-normal",
        "data-[empty=false]:sticky data-[empty=false]:top-[calc(12px_+_var(--video-news-room,0px))]",
        "data-[empty=false]:z-[calc(var(--z-sticky)-1)] max-md:min-h-15",
        "max-md:data-[empty=false]:top-[calc(72px_+_var(--video-news-room,0px))] num",
      )}
      data-empty={isEmpty}
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={({ relatedTarget }) => {
        // Without another target the button itself may have gone.
        if (relatedTarget !== null) hadFocus.current = false;
      }}
    >
      <span>{isEmpty ? hint : `${countOf(count, "video")} selected`}</span>
      {!isEmpty && (
        <span className="flex gap-2">
          {children}
          <Button size="sm" variant="inherit" onClick={onClear}>
            Clear
          </Button>
        </span>
      )}
    </div>
  );
}

/** What just happened, in words. */
export type News = { tone: BannerTone; text: string };

/** What else stays in view keeps so far from the line, in pixels. */
const GAP_PX = 10;
const ROOM = "--video-news-room";

/** Tells the style sheet what room the line takes at the window's edge, so that what else stays there is below it. */
const useToldRoom = (): RefObject<HTMLDivElement | null> => {
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = line;
    const around = current?.parentElement;
    if (!current || !around) return;
    const observer = new ResizeObserver(() => {
      const height = current.offsetHeight;
      around.style.setProperty(ROOM, `${height === 0 ? 0 : height + GAP_PX}px`);
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      around.style.removeProperty(ROOM);
    };
  }, []);
  return line;
};

type NewsLineProps = { news: News | null; onDismiss: () => void; children?: ReactNode };

/**
 * What just happened, read out when it comes (R-ERR-28). It stays in view wherever the list was scrolled to, until the
 * next thing happens or it is dismissed.
 */
export function NewsLine({ news, onDismiss, children }: NewsLineProps) {
  const line = useToldRoom();
  return (
    <div
      ref={line}
      aria-live="assertive"
      data-slot="video-news"
      className="[&>[data-slot=banner]]:items-center [&>[data-slot=banner]]:shadow-card [&>[data-slot=banner]>svg]:mt-0 sticky top-3 z-(--z-sticky) not-empty:grid not-empty:gap-2.5 not-empty:mb-5 max-md:top-18"
    >
      {children}
      {news && (
        <Banner
          tone={news.tone}
          action={
            <IconButton label="Dismiss" variant="inherit" className="my-[-5px] -mr-1.5 ml-0" onClick={onDismiss}>
              <X aria-hidden="true" />
            </IconButton>
          }
        >
          {news.text}
        </Banner>
      )}
    </div>
  );
}
