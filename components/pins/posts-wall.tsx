"use client";

import { memo, type RefObject, useEffect, useRef, useState } from "react";
import { Board, Pin, PinButton, PinFace, Slip } from "#components/shared/pin.tsx";
import { LinkChip, StatusChip } from "#components/shared/status-chip.tsx";
import { WORD_TARGET } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { useStable } from "#components/ui/use-stable.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { WALL_PAGE } from "#lib/features/pins/constants.ts";
import { thumbnailSet } from "#lib/features/pins/policy.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import type { Selection } from "./use-selection.ts";

/** The board of the wall, and how its pins are laid out: also while they are on their way. */
export const WALL_BOARD = "-mx-1 px-8 pt-10 pb-12 max-md:-mx-3 max-md:px-4.5 max-md:pt-7.5 max-md:pb-9";
export const WALL_GRID = cn(
  "grid grid-cols-5 gap-x-6.5 gap-y-11 max-xl:grid-cols-3",
  "max-md:grid-cols-2 max-md:gap-x-4 max-md:gap-y-8.5",
);

type PinPickProps = {
  /** Place in the order of publishing, from 1; undefined while not chosen. */
  place?: number;
  /** Names the pin: 'Select Slow Sunday bread'. */
  label: string;
  /** `isRange`: the Shift key was held. */
  onToggle: (isRange: boolean) => void;
};

/** A checkbox changes by a click, also by that of a key; TypeScript knows only the change. */
const hasShift = (event: Event): boolean => "shiftKey" in event && event.shiftKey === true;

/** The disc half off a draft's corner. Chosen, it shows the pin's place in the order. Only drafts have it (R-POST-09). */
function PinPick({ place, label, onToggle }: PinPickProps) {
  return (
    <label className="pin-pick num">
      <input
        type="checkbox"
        checked={place !== undefined}
        aria-label={place === undefined ? label : `${label}, chosen as number ${place}`}
        onChange={({ nativeEvent }) => onToggle(hasShift(nativeEvent))}
      />
      <span aria-hidden="true">{place}</span>
    </label>
  );
}

/** As wide as the grid draws it: two, three or five columns. */
const FACE_SIZES = "(min-width: 1200px) 208px, (min-width: 768px) 26vw, 42vw";

type PostCardProps = {
  post: PostWire;
  /** Place in the order of publishing, from 1. */
  place?: number;
  timeZone: string;
  isEager: boolean;
  /** It was not published when the screen loaded, and is now: its tack goes home. */
  hasJustChanged: boolean;
  onToggle: (post: PostWire, isRange: boolean) => void;
  onOpen: (post: PostWire) => void;
  onRetry: (post: PostWire) => void;
};

const whenOf = (post: PostWire): string | null =>
  post.status === "published" ? post.published_at : post.status === "scheduled" ? post.scheduled_at : null;

function Card(props: PostCardProps) {
  const { post, place, timeZone, isEager, hasJustChanged, onToggle, onOpen, onRetry } = props;
  const when = whenOf(post);
  return (
    <li data-slot="post" className="relative min-w-0">
      <PinButton onClick={() => onOpen(post)} aria-label={`Pin Details: ${post.title}`}>
        <Pin state={post.status} isSelected={place !== undefined} isPressing={hasJustChanged}>
          <PinFace
            src={post.image_url}
            srcSet={thumbnailSet(post.image_url)}
            sizes={FACE_SIZES}
            alt=""
            placeholder={post.placeholder}
            isEager={isEager}
          />
        </Pin>
      </PinButton>
      {post.status === "draft" && (
        <PinPick place={place} label={`Select ${post.title}`} onToggle={(isRange) => onToggle(post, isRange)} />
      )}
      <Slip title={post.title}>
        <span className="flex flex-wrap items-center gap-y-1.5 gap-x-2 min-w-0 wrap-anywhere num">
          <StatusChip state={post.status} />
          <LinkChip post={post} />
          {when && <time dateTime={when}>{formatDateTime(when, timeZone)}</time>}
          {post.status === "draft" && post.keyword && <span>{post.keyword}</span>}
          {post.status === "failed" && (
            <button
              type="button"
              className={cn("link", WORD_TARGET)}
              onClick={() => onRetry(post)}
              aria-label={`Try again: ${post.title}`}
            >
              Try again
            </button>
          )}
          {post.pinterest_url && (
            <a className="link" href={post.pinterest_url} target="_blank" rel="noreferrer">
              See it<span className="sr-only"> on Pinterest: {post.title}</span>
            </a>
          )}
        </span>
        {post.reason && (
          <span
            data-slot="post-why"
            className={post.status === "failed" ? "text-xs/[1.4] text-failed-ink" : "text-xs text-ink-3"}
          >
            {post.reason}
          </span>
        )}
      </Slip>
    </li>
  );
}

/** One pin on the wall: the picture opens its details, the disc chooses it, the slip says where it stands. */
const PostCard = memo(Card);

/** A sheet this near to the screen is there, in pixels: more than a page down passes at once. */
const NEAR_PX = 1_600;

type SheetProps = {
  posts: readonly PostWire[];
  /** Place of the first of them on the wall, from 0. */
  from: number;
  /** How many of them load their pictures at once. */
  eager: number;
  placeOf: (id: string) => number | undefined;
  timeZone: string;
  isFresh: (post: PostWire) => boolean;
  onToggle: (post: PostWire, isRange: boolean) => void;
  onOpen: (post: PostWire) => void;
  onRetry: (post: PostWire) => void;
};

/**
 * Whether a part of the page is near the screen, and how high it was when it last was. It also counts as near while the
 * focus is in it, so that nobody's place is lost.
 */
const useNear = (element: RefObject<HTMLElement | null>): { isNear: boolean; heightPx: number | null } => {
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
      { rootMargin: `${NEAR_PX}px 0px` },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return near;
};

const haveSamePosts = (a: readonly PostWire[], b: readonly PostWire[]): boolean =>
  a.length === b.length && a.every((post, at) => post === b[at]);

const areSame = (a: SheetProps, b: SheetProps): boolean =>
  haveSamePosts(a.posts, b.posts) &&
  a.from === b.from &&
  a.eager === b.eager &&
  a.placeOf === b.placeOf &&
  a.timeZone === b.timeZone &&
  a.onToggle === b.onToggle &&
  a.onOpen === b.onOpen &&
  a.onRetry === b.onRetry;

function Sheet({ posts, from, eager, placeOf, timeZone, isFresh, onToggle, onOpen, onRetry }: SheetProps) {
  const sheet = useRef<HTMLUListElement>(null);
  const { isNear, heightPx } = useNear(sheet);
  return (
    <ul
      ref={sheet}
      className={cn(WALL_GRID, "not-first:mt-11 max-md:not-first:mt-8.5")}
      data-from={from}
      aria-label={`Pins ${from + 1} to ${from + posts.length}`}
      style={isNear ? undefined : { height: heightPx ?? undefined }}
    >
      {isNear &&
        posts.map((post, at) => (
          <PostCard
            key={post.id}
            post={post}
            place={placeOf(post.id)}
            timeZone={timeZone}
            isEager={at < eager}
            hasJustChanged={isFresh(post)}
            onToggle={onToggle}
            onOpen={onOpen}
            onRetry={onRetry}
          />
        ))}
    </ul>
  );
}

/** A page of the wall. Far from the screen only its height is there, so that thousands of pins weigh as much as a few. */
const WallSheet = memo(Sheet, areSame);

const EAGER = 10;

type PostsWallProps = {
  posts: readonly PostWire[];
  selection: Selection;
  timeZone: string;
  /** Other posts are on their way to take the place of these. */
  isStale: boolean;
  isFresh: (post: PostWire) => boolean;
  onOpen: (post: PostWire) => void;
  onRetry: (post: PostWire) => void;
};

const sheetsOf = (posts: readonly PostWire[]): { from: number; posts: readonly PostWire[] }[] =>
  Array.from({ length: Math.ceil(posts.length / WALL_PAGE) }, (_, n) => {
    const from = n * WALL_PAGE;
    return { from, posts: posts.slice(from, from + WALL_PAGE) };
  });

/** The pins as they hang (R-POST-06), in sheets of whole rows. */
export function PostsWall({ posts, selection, timeZone, isStale, isFresh, onOpen, onRetry }: PostsWallProps) {
  const toggle = useStable(selection.toggle);
  const retry = useStable(onRetry);
  return (
    <Board
      className={cn(
        WALL_BOARD,
        isStale && "opacity-55 transition-[opacity] duration-(--dur-hover) ease-out delay-[120ms]",
      )}
    >
      {sheetsOf(posts).map((sheet) => (
        <WallSheet
          key={sheet.from}
          posts={sheet.posts}
          from={sheet.from}
          eager={sheet.from === 0 ? EAGER : 0}
          placeOf={selection.placeOf}
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
