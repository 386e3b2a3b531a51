"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";
import { askWorker, type ExportFormat } from "./ask-worker.ts";

/** How much of a page is read, from 0 to 1. It changes often, so only what subscribes is drawn again. */
export interface Progress {
  now: () => number;
  subscribe: (onChange: () => void) => () => void;
}

const createProgress = (): Progress & { set: (share: number) => void } => {
  let share = 0;
  const told = new Set<() => void>();
  return {
    now: () => share,
    subscribe: (onChange) => {
      told.add(onChange);
      return () => told.delete(onChange);
    },
    set: (next) => {
      share = next;
      for (const tell of told) tell();
    },
  };
};

/** Reads pages in a worker of their own, and answers for the page that was read last. */
export interface Reader {
  isReading: boolean;
  progress: Progress;
  /** @throws Cancelled, or an Error with words for the user; the page before stays then. */
  read: (html: string | Blob | Promise<Blob>) => Promise<{ extraction: Extraction; analysis: Analysis }>;
  cancel: () => void;
  analyse: (selected: readonly number[]) => Promise<Analysis>;
  exportAs: (format: ExportFormat, selected: readonly number[]) => Promise<{ blob: Blob; name: string }>;
}

const startWorker = (): Worker => new Worker(new URL("./extraction-worker.ts", import.meta.url), { type: "module" });

/** What can be asked of the worker that holds a page. */
const toolsOf = (workerNow: () => Worker | null): Pick<Reader, "analyse" | "exportAs"> => {
  const worker = (): Worker => {
    const now = workerNow();
    if (!now) throw new Error("no page has been read.");
    return now;
  };
  return {
    analyse: async (selected) => {
      const question = { type: "analyse", selected } as const;
      return (await askWorker(worker(), { question, wanted: "analysis" })).analysis;
    },
    exportAs: async (format, selected) => {
      const question = { type: "export", format, selected } as const;
      return askWorker(worker(), { question, wanted: "exported" });
    },
  };
};

/** The worker of the shown page is kept beside the one that reads the next, so that giving that up loses nothing. */
export const useReader = (): Reader => {
  const shown = useRef<Worker | null>(null);
  const running = useRef<AbortController | null>(null);
  const [isReading, setReading] = useState(false);
  const [progress] = useState(createProgress);

  useEffect(
    () => () => {
      running.current?.abort();
      shown.current?.terminate();
      shown.current = null;
    },
    [],
  );

  const read = useCallback(
    async (html: string | Blob | Promise<Blob>) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      const { signal } = abort;
      progress.set(0);
      setReading(true);
      const worker = startWorker();
      try {
        const question = { type: "extract", html: await html } as const;
        const answer = await askWorker(worker, { question, wanted: "extracted", signal, onProgress: progress.set });
        shown.current?.terminate();
        shown.current = worker;
        return answer;
      } catch (error) {
        worker.terminate();
        throw error;
      } finally {
        if (running.current === abort) {
          running.current = null;
          setReading(false);
        }
      }
    },
    [progress],
  );

  const cancel = useCallback(() => running.current?.abort(), []);

  const tools = useMemo(() => toolsOf(() => shown.current), []);
  return { isReading, progress, read, cancel, ...tools };
};
