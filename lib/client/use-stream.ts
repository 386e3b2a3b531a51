"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import type { LiveNews } from "../features/realtime/schema.ts";

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

type Picked<T> = { id: string; value: T | null };

/** News of things, and the ways to number and to add to them. */
export interface Live<T> {
  rows: LiveRows<T>;
  /** Numbers the present: an answer that was asked for at a mark knows of everything before it, and of nothing for sure after it. */
  mark: () => number;
  /** Adds things as a call answered them that was asked for at a mark, unless the stream told of them since. */
  learn: (things: readonly Picked<T>[], askedAt: number) => void;
}

/** Keeps the newest news of each thing that `pick` chooses. */
export const useLiveRows = <T>(pick: (news: LiveNews) => Picked<T> | null): Live<T> => {
  const [rows, setRows] = useState<LiveRows<T>>(new Map());
  const heard = useRef(0);
  const next = useCallback(() => {
    heard.current += 1;
    return heard.current;
  }, []);
  useStream((news) => {
    const picked = pick(news);
    if (!picked) return;
    const at = next();
    setRows((before) => new Map(before).set(picked.id, { value: picked.value, at }));
  });
  const learn = useCallback(
    (things: readonly Picked<T>[], askedAt: number) => {
      const at = next();
      setRows((before) => {
        const fresh = things.filter(({ id }) => (before.get(id)?.at ?? 0) <= askedAt);
        return new Map([...before, ...fresh.map(({ id, value }) => [id, { value, at }] as const)]);
      });
    },
    [next],
  );
  return { rows, mark: useCallback(() => heard.current, []), learn };
};
