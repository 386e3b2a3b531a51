"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";
import { callWorker, type ExportFormat } from "./worker-client.ts";

/** The share of the page that is read, from 0 to 1. It changes often, so only subscribers re-render. */
export interface Progress {
  now: () => number;
  subscribe: (onChange: () => void) => () => void;
}

const createProgress = (): Progress & { set: (share: number) => void } => {
  let share = 0;
  const listeners = new Set<() => void>();
  return {
    now: () => share,
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    set: (next) => {
      share = next;
      for (const listener of listeners) listener();
    },
  };
};

/** Reads pages in a worker, and answers requests about the last one. */
export interface Reader {
  isReading: boolean;
  progress: Progress;
  /** @throws Canceled, or an Error with a message for the user; the page before then stays */
  read: (html: string | Blob | Promise<Blob>) => Promise<{ extraction: Extraction; analysis: Analysis }>;
  cancel: () => void;
  analyze: (selected: readonly number[]) => Promise<Analysis>;
  exportAs: (format: ExportFormat, selected: readonly number[]) => Promise<{ blob: Blob; name: string }>;
}

const startWorker = (): Worker => new Worker(new URL("./extraction-worker.ts", import.meta.url), { type: "module" });

const toolsOf = (workerNow: () => Worker | null): Pick<Reader, "analyze" | "exportAs"> => {
  const worker = (): Worker => {
    const now = workerNow();
    if (!now) throw new Error("no page has been read.");
    return now;
  };
  return {
    analyze: async (selected) => {
      const request = { type: "analyze", selected } as const;
      return (await callWorker(worker(), { request, responseType: "analysis" })).analysis;
    },
    exportAs: async (format, selected) => {
      const request = { type: "export", format, selected } as const;
      return callWorker(worker(), { request, responseType: "exported" });
    },
  };
};

/** Keeps the shown page's worker while another reads the next page, so that canceling loses nothing. */
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
        const request = { type: "extract", html: await html } as const;
        const answer = await callWorker(worker, {
          request,
          responseType: "extracted",
          signal,
          onProgress: progress.set,
        });
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
