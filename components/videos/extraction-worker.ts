import { analyze } from "#lib/features/videos/engine/analysis.ts";
import { toCsv, toJson, toNdjson } from "#lib/features/videos/engine/exports.ts";
import { extract } from "#lib/features/videos/engine/extract.ts";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";
import type { ExportFormat, WorkerRequestMessage, WorkerResponse, WorkerResponseMessage } from "./worker-client.ts";

/**
 * Reads pasted pages off the main thread. A worker has no document, so nothing in the markup can run or load; the text
 * itself is not stored or sent.
 */
const NAME = "tiktok_videos";
/** Progress is reported in steps of this share; a page has a hundred thousand tags. */
const STEP = 0.02;

let videos: readonly ExtractedVideo[] = [];

const respond = (requestId: number, response: WorkerResponse): void =>
  self.postMessage({ ...response, requestId } satisfies WorkerResponseMessage);

const read = async (html: string | Blob, requestId: number): Promise<WorkerResponse> => {
  let last = 0;
  const onProgress = (share: number) => {
    if (share - last < STEP) return;
    last = share;
    respond(requestId, { type: "progress", share });
  };
  const extraction = extract(typeof html === "string" ? html : await html.text(), { onProgress });
  videos = extraction.videos;
  return { type: "extracted", extraction, analysis: analyze(videos, new Set()) };
};

const WRITERS: Record<ExportFormat, (chosen: ExtractedVideo[]) => Promise<Blob>> = {
  csv: async (chosen) => new Blob([toCsv(chosen)], { type: "text/csv;charset=utf-8" }),
  json: async (chosen) => new Blob([toJson(chosen)], { type: "application/json" }),
  ndjson: async (chosen) => new Blob([toNdjson(chosen)], { type: "application/x-ndjson" }),
  xlsx: async (chosen) => (await import("#lib/features/videos/engine/exports.ts")).toXlsx(chosen),
};

/** Exports the selected videos, or all when none are selected. */
const write = async (format: ExportFormat, selected: readonly number[]): Promise<WorkerResponse> => {
  const ids = new Set(selected);
  const chosen = videos.filter(({ id }) => ids.size === 0 || ids.has(id));
  return { type: "exported", blob: await WRITERS[format](chosen), name: `${NAME}.${format}` };
};

const answer = async (request: WorkerRequestMessage): Promise<WorkerResponse> => {
  if (request.type === "extract") return read(request.html, request.requestId);
  if (request.type === "export") return write(request.format, request.selected);
  return { type: "analysis", analysis: analyze(videos, new Set(request.selected)) };
};

self.addEventListener("message", ({ data }: MessageEvent<WorkerRequestMessage>) => {
  answer(data).then(
    (response) => respond(data.requestId, response),
    (error: unknown) =>
      respond(data.requestId, { type: "failed", message: error instanceof Error ? error.message : "unknown" }),
  );
});
