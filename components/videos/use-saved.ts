"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { useStable } from "#components/pins/use-stable.ts";
import { listOf, type SavedList, type SavedQuery, savedPath, withoutVideos } from "#components/videos/saved-query.ts";
import { api } from "#lib/client/api.ts";
import type { SavedVideosWire, SavedVideoWire } from "#lib/features/videos/schema.ts";

/** What the server put on the first paint, and what it was asked for. */
export type FirstSaved = { query: SavedQuery; list: SavedList };

type Changes = {
  /** The answer that they are changes to. */
  of: SavedList;
  /** Further pages. */
  more: readonly SavedVideoWire[];
  next: string | null;
  gone: readonly SavedVideoWire[];
  edited: ReadonlyMap<string, SavedVideoWire>;
};

const unchanged = (of: SavedList): Changes => ({ of, more: [], next: of.next, gone: [], edited: new Map() });

const readPage = async (path: string, signal?: AbortSignal): Promise<SavedList> => {
  const { body, next } = await api.getPage<SavedVideosWire>(path, signal);
  return listOf(body, next);
};

/** What was done to a list since it was answered. */
const useChanges = (base: SavedList | null, first: SavedList) => {
  const [kept, setKept] = useState(() => unchanged(first));
  const latest = useRef(base);
  latest.current = base;
  const change = useCallback(
    (part: (before: Changes) => Partial<Changes>) => {
      // A page of a search that is left must not end what was done to the videos of the next one.
      if (!base || base !== latest.current) return;
      setKept((now) => {
        const before = now.of === base ? now : unchanged(base);
        return { ...before, ...part(before) };
      });
    },
    [base],
  );
  return { changes: base && (kept.of === base ? kept : unchanged(base)), change };
};

/** What is asked for when one scrolls on: the page after those that are shown. */
const useMore = (changes: Changes | null, change: (part: (before: Changes) => Partial<Changes>) => void) => {
  const { isSessionFailure } = useSessionEnd();
  const [more, setMore] = useState<{ path: string; hasFailed: boolean } | null>(null);
  const next = changes?.next ?? null;
  const isReading = more !== null && more.path === next && !more.hasFailed;
  const read = useCallback(async () => {
    if (next === null || isReading) return;
    setMore({ path: next, hasFailed: false });
    try {
      const page = await readPage(next);
      // Asked for twice before the first asking was drawn, it follows what is shown once.
      change((before) => (before.next === next ? { more: [...before.more, ...page.videos], next: page.next } : {}));
      setMore(null);
    } catch (error) {
      if (!isSessionFailure(error)) setMore({ path: next, hasFailed: true });
    }
  }, [next, isReading, change, isSessionFailure]);
  return { hasMore: next !== null, isReading, hasFailed: more !== null && more.path === next && more.hasFailed, read };
};

/** The saved videos that a search and a hashtag let through, page by page, and what was done to them here. */
export const useSaved = (first: FirstSaved) => {
  const [query, setQuery] = useState(first.query);
  const call = useScreenCall(savedPath(query), (signal) => readPage(savedPath(query), signal));
  const [shownBefore, setShownBefore] = useState(first.list);
  if (call.data && call.data !== shownBefore) setShownBefore(call.data);
  const base = call.error === null ? (call.data ?? shownBefore) : call.data;
  const { changes, change } = useChanges(base, first.list);
  const list = useMemo(() => {
    if (!base || !changes) return null;
    const videos = [...base.videos, ...changes.more].map((video) => changes.edited.get(video.id) ?? video);
    return withoutVideos({ ...base, videos }, changes.gone);
  }, [base, changes]);
  const takeAway = useStable((videos: readonly SavedVideoWire[]) =>
    change(({ gone }) => ({ gone: [...gone, ...videos] })),
  );
  const bringBack = useStable((videos: readonly SavedVideoWire[]) => {
    // What another search has answered since does not have them.
    if (!videos.every((one) => changes?.gone.includes(one))) return call.reload();
    change(({ gone }) => ({ gone: gone.filter((one) => !videos.includes(one)) }));
  });
  const replace = useStable((video: SavedVideoWire) =>
    change(({ edited }) => ({ edited: new Map([...edited, [video.id, video] as const]) })),
  );
  return {
    query,
    narrow: useCallback((part: Partial<SavedQuery>) => setQuery((before) => ({ ...before, ...part })), []),
    list,
    hasFailed: call.error !== null,
    /** What is shown was found by another search. */
    isStale: call.isLoading && query !== first.query,
    reload: call.reload,
    more: useMore(changes, change),
    takeAway,
    bringBack,
    replace,
  };
};

export type Saved = ReturnType<typeof useSaved>;
