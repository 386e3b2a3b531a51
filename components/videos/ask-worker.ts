import { SECOND_MS } from "#lib/core/time.ts";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";

export type ExportFormat = "csv" | "json" | "ndjson" | "xlsx";

/** What the worker is asked. A file goes as it is: only the worker reads it. */
type Question =
  | { type: "extract"; html: string | Blob }
  | { type: "analyse"; selected: readonly number[] }
  | { type: "export"; format: ExportFormat; selected: readonly number[] };

/** What it tells: shares from 0 to 1 on the way, then one answer. */
export type Told =
  | { type: "progress"; share: number }
  | { type: "extracted"; extraction: Extraction; analysis: Analysis }
  | { type: "analysis"; analysis: Analysis }
  | { type: "exported"; blob: Blob; name: string }
  | { type: "failed"; message: string };

type Answer = Exclude<Told, { type: "progress" | "failed" }>;

/** Both ways with the number of the question, so that two questions at once keep their answers. */
export type Asked = Question & { turn: number };
export type Telling = Told & { turn: number };

/** After this time a worker is ended, whatever it is doing. */
export const DEADLINE_MS = 20 * SECOND_MS;

const TOO_LONG = `it took longer than ${DEADLINE_MS / SECOND_MS} seconds and was stopped. Try a shorter part of the page.`;
const NOT_STARTED = "the reader could not be started. Reload the page and try again.";

/** The question was given up by the person who asked it. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

type AnswerTo<K extends Answer["type"]> = Extract<Answer, { type: K }>;

type AskOptions<K extends Answer["type"]> = {
  question: Question;
  /** The type of its answer. */
  wanted: K;
  signal?: AbortSignal;
  /** Told of shares from 0 to 1. */
  onProgress?: (share: number) => void;
};

const ENDED = "the page is no longer held. Extract its videos again.";

const ended = new WeakSet<Worker>();
let turns = 0;

/**
 * Asks a worker and waits for its answer.
 * @throws Cancelled when the signal is aborted; Error with words for the user when the worker fails or the deadline
 * passes. In all three cases but a failure that the worker told of itself it is ended, and cannot be asked again.
 */
export const askWorker = <K extends Answer["type"]>(worker: Worker, options: AskOptions<K>): Promise<AnswerTo<K>> => {
  const { question, wanted, signal, onProgress } = options;
  if (ended.has(worker)) return Promise.reject(new Error(ENDED));
  turns += 1;
  const turn = turns;
  return new Promise((resolve, reject) => {
    const done = new AbortController();
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      done.abort();
      finish();
    };
    const end = (error: Error) =>
      settle(() => {
        worker.terminate();
        ended.add(worker);
        reject(error);
      });
    const timer = setTimeout(() => end(new Error(TOO_LONG)), DEADLINE_MS);
    const hear = ({ data }: MessageEvent<Telling>) => {
      if (data.turn !== turn) return;
      if (data.type === "progress") onProgress?.(data.share);
      else if (data.type === "failed") settle(() => reject(new Error(data.message)));
      // The worker answers each question with its own type.
      else if (data.type === wanted) settle(() => resolve(data as unknown as AnswerTo<K>));
    };
    worker.addEventListener("message", hear, { signal: done.signal });
    worker.addEventListener("error", () => end(new Error(NOT_STARTED)), { signal: done.signal });
    if (signal?.aborted) return end(new Cancelled());
    signal?.addEventListener("abort", () => end(new Cancelled()), { signal: done.signal });
    worker.postMessage({ ...question, turn });
  });
};
