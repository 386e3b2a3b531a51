import { SECOND_MS } from "#lib/core/time.ts";
import type { Analysis } from "#lib/features/videos/engine/analysis.ts";
import type { Extraction } from "#lib/features/videos/engine/types.ts";

export type ExportFormat = "csv" | "json" | "ndjson" | "xlsx";

/** Requests to the worker. Files are passed as they are; only the worker reads them. */
type WorkerRequest =
  | { type: "extract"; html: string | Blob }
  | { type: "analyze"; selected: readonly number[] }
  | { type: "export"; format: ExportFormat; selected: readonly number[] };

/** Progress from 0 to 1, then one response. */
export type WorkerResponse =
  | { type: "progress"; share: number }
  | { type: "extracted"; extraction: Extraction; analysis: Analysis }
  | { type: "analysis"; analysis: Analysis }
  | { type: "exported"; blob: Blob; name: string }
  | { type: "failed"; message: string };

type Answer = Exclude<WorkerResponse, { type: "progress" | "failed" }>;

/** Messages carry the request's id, so that concurrent requests get their own responses. */
export type WorkerRequestMessage = WorkerRequest & { requestId: number };
export type WorkerResponseMessage = WorkerResponse & { requestId: number };

/** The worker is terminated after this time. */
export const DEADLINE_MS = 20 * SECOND_MS;

const TOO_LONG = `it took longer than ${DEADLINE_MS / SECOND_MS} seconds and was stopped. Try a shorter part of the page.`;
const NOT_STARTED = "the reader could not be started. Reload the page and try again.";

/** The user canceled the request. */
export class Canceled extends Error {
  override readonly name = "Canceled";
}

type AnswerTo<K extends Answer["type"]> = Extract<Answer, { type: K }>;

type CallOptions<K extends Answer["type"]> = {
  request: WorkerRequest;
  responseType: K;
  signal?: AbortSignal;
  /** Called with shares from 0 to 1. */
  onProgress?: (share: number) => void;
};

const ENDED = "the page is no longer loaded. Extract its videos again.";

const endedWorkers = new WeakSet<Worker>();
let lastRequestId = 0;

/**
 * Sends a request to the worker and waits for the response.
 * @throws Canceled when the signal is aborted; Error with a message for the user when the worker fails or the deadline
 * passes. Unless the worker reported the failure itself, it is terminated and rejects later requests.
 */
export const callWorker = <K extends Answer["type"]>(worker: Worker, options: CallOptions<K>): Promise<AnswerTo<K>> => {
  const { request, responseType, signal, onProgress } = options;
  if (endedWorkers.has(worker)) return Promise.reject(new Error(ENDED));
  lastRequestId += 1;
  const requestId = lastRequestId;
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
        endedWorkers.add(worker);
        reject(error);
      });
    const timer = setTimeout(() => end(new Error(TOO_LONG)), DEADLINE_MS);
    const onMessage = ({ data }: MessageEvent<WorkerResponseMessage>) => {
      if (data.requestId !== requestId) return;
      if (data.type === "progress") onProgress?.(data.share);
      else if (data.type === "failed") settle(() => reject(new Error(data.message)));
      // Each request has its own response type.
      else if (data.type === responseType) settle(() => resolve(data as unknown as AnswerTo<K>));
    };
    worker.addEventListener("message", onMessage, { signal: done.signal });
    worker.addEventListener("error", () => end(new Error(NOT_STARTED)), { signal: done.signal });
    if (signal?.aborted) return end(new Canceled());
    signal?.addEventListener("abort", () => end(new Canceled()), { signal: done.signal });
    worker.postMessage({ ...request, requestId });
  });
};
