"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { rangeOf } from "#components/pins/wall-list.ts";
import type { LiveRows } from "#lib/client/live-cache.ts";
import { PINS_AT_ONCE_MAX } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** The chosen drafts in the order in which they were chosen, which is the order they go out. */
export interface Selection {
  ids: string[];
  /** The same drafts as they were last known. */
  posts: PostWire[];
  /** Place from 1, or undefined. */
  placeOf: (id: string) => number | undefined;
  /** `isRange`: everything between the draft that was last chosen or let go and this one, as Shift asks. */
  toggle: (post: PostWire, isRange?: boolean) => void;
  /** Chooses these behind what is chosen. */
  add: (posts: readonly PostWire[]) => void;
  clear: () => void;
  /** Lets go of these alone: what was chosen meanwhile stays. */
  remove: (ids: readonly string[]) => void;
  /** Chooses these again, before whatever was chosen since: the undoing of `clear`. */
  restore: (posts: readonly PostWire[]) => void;
}

const without = (posts: readonly PostWire[], others: readonly PostWire[]): PostWire[] => {
  const ids = new Set(others.map(({ id }) => id));
  return posts.filter(({ id }) => !ids.has(id));
};

interface Around {
  accountId: string | null;
  /** What is on the wall, in its order. */
  posts: readonly PostWire[];
  /** What the stream has told of pins, shown or not. */
  rows: LiveRows<PostWire>;
  /** Called when more are asked for than may be chosen. */
  onFull: () => void;
}

/** Of the chosen pins those that are still drafts of this account, as they were last known. */
const useStillDrafts = (chosen: readonly PostWire[], { accountId, posts, rows }: Omit<Around, "onFull">): PostWire[] =>
  useMemo(() => {
    const shown = new Map(posts.map((post) => [post.id, post]));
    const now = (post: PostWire): PostWire | null => {
      const row = rows.get(post.id);
      return shown.get(post.id) ?? (row ? row.value : post);
    };
    return chosen
      .flatMap((post) => now(post) ?? [])
      .filter((post) => post.status === "draft" && post.account_id === accountId);
  }, [chosen, posts, rows, accountId]);

/**
 * Keeps the selection, also of drafts that another search or page has shown. What is no longer a draft falls out of it
 * by itself (R-POST-09).
 */
export const useSelection = ({ accountId, posts, rows, onFull }: Around): Selection => {
  const [chosen, setChosen] = useState<PostWire[]>([]);
  const anchor = useRef<string | null>(null);
  const selected = useStillDrafts(chosen, { accountId, posts, rows });
  const ids = useMemo(() => selected.map(({ id }) => id), [selected]);
  const places = useMemo(() => new Map(ids.map((id, at) => [id, at + 1])), [ids]);

  const add = useCallback(
    (more: readonly PostWire[]) => {
      const fresh = without(more, selected);
      const room = PINS_AT_ONCE_MAX - selected.length;
      if (fresh.length > room) onFull();
      const taken = fresh.slice(0, room);
      setChosen((before) => [...without(before, taken), ...taken]);
    },
    [selected, onFull],
  );
  const toggle = useCallback(
    (post: PostWire, isRange = false) => {
      const from = anchor.current;
      anchor.current = post.id;
      const range = isRange ? rangeOf(posts, from, post) : [post];
      if (places.has(post.id)) setChosen((before) => without(before, range));
      else add(range);
    },
    [places, posts, add],
  );
  return {
    ids,
    posts: selected,
    placeOf: useCallback((id) => places.get(id), [places]),
    toggle,
    add,
    clear: useCallback(() => setChosen([]), []),
    remove: useCallback((gone) => setChosen((before) => before.filter(({ id }) => !gone.includes(id))), []),
    restore: useCallback(
      (before) => setChosen((since) => [...before, ...without(since, before)].slice(0, PINS_AT_ONCE_MAX)),
      [],
    ),
  };
};
