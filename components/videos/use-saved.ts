"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { useScreenCall, useSessionEnd } from "#components/shared/session.ts";
import { showToast } from "#components/ui/toaster.tsx";
import { useStable } from "#components/ui/use-stable.ts";
import { api, callAction } from "#lib/client/api.ts";
import { deleteVideosAction, restoreVideosAction } from "#lib/features/videos/actions.ts";
import { CHOSEN_MAX, SAVED_VIDEO_CALL, TEXTS } from "#lib/features/videos/constants.ts";
import type { SavedVideosWire, SavedVideoWire } from "#lib/features/videos/schema.ts";
import { listOf, type SavedList, type SavedQuery, savedPath, withoutVideos } from "./saved-query.ts";
import { countOf } from "./video-texts.ts";

type Around = Pick<Saved, "takeAway" | "bringBack" | "reload"> & { onFailed: (text: string) => void };

const chunksOf = (videos: readonly SavedVideoWire[]): SavedVideoWire[][] =>
  Array.from({ length: Math.ceil(videos.length / CHOSEN_MAX) }, (_, at) =>
    videos.slice(at * CHOSEN_MAX, (at + 1) * CHOSEN_MAX),
  );

const idsOf = (videos: readonly SavedVideoWire[]): string[] => videos.map(({ id }) => id);

/** Takes deleted videos out of the list, and offers to bring them back. */
const useUndo = ({ takeAway, bringBack, reload, onFailed }: Around) => {
  const restore = async (videos: readonly SavedVideoWire[]) => {
    for (const some of chunksOf(videos)) {
      const answer = await callAction(restoreVideosAction({ ids: idsOf(some) }));
      if (!answer.ok) {
        onFailed(answer.text);
        return reload();
      }
    }
    bringBack(videos);
    showToast(videos.length === 1 ? "Video is back" : `${countOf(videos.length, "video")} are back`);
  };
  return (videos: readonly SavedVideoWire[]) => {
    takeAway(videos);
    const text = videos.length === 1 ? "Video deleted" : `${countOf(videos.length, "video")} deleted`;
    showToast(text, { hasCheck: true, onUndo: () => void restore(videos) });
  };
};

/** Deletes saved videos, one by the documented call or many at once, with an Undo (R-SAV-10, R-SAV-13). */
export const useSavedDeletion = ({ takeAway, bringBack, reload, onFailed }: Around) => {
  const { isSessionFailure } = useSessionEnd();
  const [isDeleting, setDeleting] = useState(false);

  const gone = useUndo({ takeAway, bringBack, reload, onFailed });

  /** @returns whether it is gone */
  const removeOne = async (video: SavedVideoWire): Promise<boolean> => {
    setDeleting(true);
    try {
      await api.delete(`${SAVED_VIDEO_CALL}${video.id}/`);
      gone([video]);
      return true;
    } catch (error) {
      if (!isSessionFailure(error)) onFailed(TEXTS.deleteFailed);
      return false;
    } finally {
      setDeleting(false);
    }
  };

  /** Those that could be deleted go; the first refusal is told. @returns whether all are gone */
  const removeAll = async (videos: readonly SavedVideoWire[]): Promise<boolean> => {
    setDeleting(true);
    const done: SavedVideoWire[] = [];
    let refusal: string | null = null;
    for (const some of chunksOf(videos)) {
      const answer = await callAction(deleteVideosAction({ ids: idsOf(some) }));
      if (answer.ok) done.push(...some);
      else refusal ??= answer.text;
    }
    setDeleting(false);
    if (done.length > 0) gone(done);
    if (refusal !== null) onFailed(refusal);
    return refusal === null;
  };

  return { isDeleting, removeOne, removeAll };
};

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
