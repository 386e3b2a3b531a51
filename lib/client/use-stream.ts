"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { LiveNews } from "../features/live/schema.ts";

type Listener = (news: LiveNews) => void;

const listeners = new Set<Listener>();

/** Tells every part of the screen that listens. */
export const tellListeners: Listener = (news) => {
  for (const listener of [...listeners]) listener(news);
};

/** Hears what the live stream tells, while the component is there. */
export const useStream = (listener: Listener): void => {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const hear: Listener = (news) => latest.current(news);
    listeners.add(hear);
    return () => {
      listeners.delete(hear);
    };
  }, []);
};

/** The newest news of each thing, by its id; `value` is null when the thing is gone. */
export type LiveRows<T> = ReadonlyMap<string, { value: T | null; at: number }>;

/**
 * Keeps the newest news of each thing that `pick` chooses. `mark()` numbers the present: an answer that was asked for
 * at a mark knows of everything that came before it, and of nothing for sure that came after.
 */
export const useLiveRows = <T>(
  pick: (news: LiveNews) => { id: string; value: T | null } | null,
): { rows: LiveRows<T>; mark: () => number } => {
  const [rows, setRows] = useState<LiveRows<T>>(new Map());
  const heard = useRef(0);
  useStream((news) => {
    const picked = pick(news);
    if (!picked) return;
    heard.current += 1;
    const at = heard.current;
    setRows((before) => new Map(before).set(picked.id, { value: picked.value, at }));
  });
  return { rows, mark: useCallback(() => heard.current, []) };
};
