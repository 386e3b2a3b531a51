"use client";

import { memo, type RefObject, useEffect, useRef, useState } from "react";
import { FormatChip } from "#components/shared/format-chip.tsx";
import { Board, Caption, Pin, PinButton, PinFace } from "#components/shared/pin.tsx";
import { LinkChip, StatusChip } from "#components/shared/status-chip.tsx";
import { WORD_TARGET } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { PIN_PAGE_SIZE } from "#lib/features/pins/constants.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import type { Selection } from "./use-selection.ts";

/** Layout of the grid, also used while loading. */
export const GRID_BOARD = "-mx-1 px-8 pt-10 pb-12 max-md:-mx-3 max-md:px-4.5 max-md:pt-7.5 max-md:pb-9";
export const GRID_LAYOUT = cn(
  "grid grid-cols-5 gap-x-6.5 gap-y-11 max-xl:grid-cols-3",
  "max-md:grid-cols-2 max-md:gap-x-4 max-md:gap-y-8.5",
);

type PinCheckboxProps = {
  /** In the order of publishing, from 1; undefined when not selected. */
  position?: number;
  label: string;
  /** `isRange`: the Shift key was held. */
  onToggle: (isRange: boolean) => void;
};

/** A checkbox changes through a click event, which TypeScript's type does not include. */
const isShiftHeld = (event: Event): boolean => "shiftKey" in event && event.shiftKey === true;

/** The selection checkbox of a draft, with its position when selected. Only drafts have it. */
function PinCheckbox({ position, label, onToggle }: PinCheckboxProps) {
  return (
    <label className="pin-pick num">
      <input
        type="checkbox"
        checked={position !== undefined}
        aria-label={position === undefined ? label : `${label}, number ${position} in your selection`}
        onChange={({ nativeEvent }) => onToggle(isShiftHeld(nativeEvent))}
      />
      <span aria-hidden="true">{position}</span>
    </label>
  );
}

/** Matches the two, three or five columns of the grid. */
const IMAGE_SIZES = "(min-width: 1200px) 208px, (min-width: 768px) 26vw, 42vw";

/** The whole card opens the details, except its controls. */
const CARD = cn(
  "relative min-w-0 [&>button]:after:absolute [&>button]:after:inset-0 [&>button>.pin]:z-1",
  "[&_.pin-caption]:pointer-events-none",
  "[&_.pin-caption_:is(a,button,[title],[data-slot=pin-reason])]:pointer-events-auto",
);

type PinCardProps = {
  pin: PinWire;
  /** In the order of publishing, from 1. */
  position?: number;
  timeZone: string;
  isEager: boolean;
  /** Published since the screen loaded, which animates its tack. */
  hasJustChanged: boolean;
  onToggle: (pin: PinWire, isRange: boolean) => void;
  onOpen: (pin: PinWire) => void;
  onRetry: (pin: PinWire) => void;
};

const timeOf = (pin: PinWire): string | null =>
  pin.status === "published" ? pin.published_at : pin.status === "scheduled" ? pin.scheduled_at : null;

function PinCardContent(props: PinCardProps) {
  const { pin, position, timeZone, isEager, hasJustChanged, onToggle, onOpen, onRetry } = props;
  const when = timeOf(pin);
  return (
    <li data-slot="pin-card" className={CARD}>
      <PinButton onClick={() => onOpen(pin)} aria-label={`Pin Details: ${pin.title}`}>
        <Pin state={pin.status} isSelected={position !== undefined} isPressing={hasJustChanged}>
          <PinFace
            src={pin.image_url}
            srcSet={thumbnailSet(pin.image_url)}
            sizes={IMAGE_SIZES}
            alt=""
            placeholder={pin.placeholder}
            isEager={isEager}
          />
        </Pin>
      </PinButton>
      {pin.status === "draft" && (
        <PinCheckbox position={position} label={`Select ${pin.title}`} onToggle={(isRange) => onToggle(pin, isRange)} />
      )}
      <Caption title={pin.title}>
        <span className="flex flex-wrap items-center gap-y-1.5 gap-x-2 min-w-0 wrap-anywhere num">
          <StatusChip state={pin.status} />
          <FormatChip format={pin.format} />
          <LinkChip pin={pin} />
          {when && <time dateTime={when}>{formatDateTime(when, timeZone)}</time>}
          {pin.status === "draft" && pin.keyword && <span>{pin.keyword}</span>}
          {pin.status === "failed" && (
            <button
              type="button"
              className={cn("link", WORD_TARGET)}
              onClick={() => onRetry(pin)}
              aria-label={`Try again: ${pin.title}`}
            >
              Try again
            </button>
          )}
          {pin.pinterest_url && (
            <a className="link" href={pin.pinterest_url} target="_blank" rel="noreferrer">
              See it<span className="sr-only"> on Pinterest: {pin.title}</span>
            </a>
          )}
        </span>
        {pin.reason && (
          <span
            data-slot="pin-reason"
            className={pin.status === "failed" ? "text-xs/[1.4] text-failed-ink" : "text-xs text-ink-3"}
          >
            {pin.reason}
          </span>
        )}
      </Caption>
    </li>
  );
}

const PinCard = memo(PinCardContent);

/** Grid pages within this distance of the viewport are rendered, in pixels. */
const NEAR_VIEWPORT_PX = 1_600;

type PinGridPageProps = {
  pins: readonly PinWire[];
  /** Index of the first pin in the grid. */
  from: number;
  /** How many images load eagerly. */
  eager: number;
  positionOf: (id: string) => number | undefined;
  timeZone: string;
  isFresh: (pin: PinWire) => boolean;
  onToggle: (pin: PinWire, isRange: boolean) => void;
  onOpen: (pin: PinWire) => void;
  onRetry: (pin: PinWire) => void;
};

/**
 * Whether an element is near the viewport, and its height when it last was. An element with the focus counts as near, so
 * that the focus is not lost.
 */
const useNearViewport = (element: RefObject<HTMLElement | null>): { isNear: boolean; heightPx: number | null } => {
  const [near, setNear] = useState<{ isNear: boolean; heightPx: number | null }>({ isNear: true, heightPx: null });
  useEffect(() => {
    const { current } = element;
    if (!current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)?.isIntersecting ?? true;
        if (!isNear && current.contains(document.activeElement)) return;
        setNear((before) => {
          if (before.isNear === isNear) return before;
          return { isNear, heightPx: isNear ? before.heightPx : current.offsetHeight };
        });
      },
      { rootMargin: `${NEAR_VIEWPORT_PX}px 0px` },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return near;
};

const haveSamePins = (a: readonly PinWire[], b: readonly PinWire[]): boolean =>
  a.length === b.length && a.every((pin, at) => pin === b[at]);

const haveSameProps = (a: PinGridPageProps, b: PinGridPageProps): boolean =>
  haveSamePins(a.pins, b.pins) &&
  a.from === b.from &&
  a.eager === b.eager &&
  a.positionOf === b.positionOf &&
  a.timeZone === b.timeZone &&
  a.onToggle === b.onToggle &&
  a.onOpen === b.onOpen &&
  a.onRetry === b.onRetry;

function GridPage({ pins, from, eager, positionOf, timeZone, isFresh, onToggle, onOpen, onRetry }: PinGridPageProps) {
  const page = useRef<HTMLUListElement>(null);
  const { isNear, heightPx } = useNearViewport(page);
  return (
    <ul
      ref={page}
      className={cn(GRID_LAYOUT, "not-first:mt-11 max-md:not-first:mt-8.5")}
      data-from={from}
      aria-label={`Pins ${from + 1} to ${from + pins.length}`}
      style={isNear ? undefined : { height: heightPx ?? undefined }}
    >
      {isNear &&
        pins.map((pin, at) => (
          <PinCard
            key={pin.id}
            pin={pin}
            position={positionOf(pin.id)}
            timeZone={timeZone}
            isEager={at < eager}
            hasJustChanged={isFresh(pin)}
            onToggle={onToggle}
            onOpen={onOpen}
            onRetry={onRetry}
          />
        ))}
    </ul>
  );
}

/** A page of the grid. Far from the viewport it renders only a placeholder, which keeps thousands of pins fast. */
const PinGridPage = memo(GridPage, haveSameProps);

const EAGER = 10;

type PinGridProps = {
  pins: readonly PinWire[];
  selection: Selection;
  timeZone: string;
  /** The pins of another query are loading. */
  isStale: boolean;
  isFresh: (pin: PinWire) => boolean;
  onOpen: (pin: PinWire) => void;
  onRetry: (pin: PinWire) => void;
};

const pagesOf = (pins: readonly PinWire[]): { from: number; pins: readonly PinWire[] }[] =>
  Array.from({ length: Math.ceil(pins.length / PIN_PAGE_SIZE) }, (_, n) => {
    const from = n * PIN_PAGE_SIZE;
    return { from, pins: pins.slice(from, from + PIN_PAGE_SIZE) };
  });

export function PinGrid({ pins, selection, timeZone, isStale, isFresh, onOpen, onRetry }: PinGridProps) {
  const toggle = useStableCallback(selection.toggle);
  const retry = useStableCallback(onRetry);
  return (
    <Board
      className={cn(
        GRID_BOARD,
        isStale && "opacity-55 transition-[opacity] duration-(--dur-hover) ease-out delay-[120ms]",
      )}
    >
      {pagesOf(pins).map((page) => (
        <PinGridPage
          key={page.from}
          pins={page.pins}
          from={page.from}
          eager={page.from === 0 ? EAGER : 0}
          positionOf={selection.positionOf}
          timeZone={timeZone}
          isFresh={isFresh}
          onToggle={toggle}
          onOpen={onOpen}
          onRetry={retry}
        />
      ))}
    </Board>
  );
}
