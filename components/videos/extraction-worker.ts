import { analyse } from "#lib/features/videos/engine/analysis.ts";
import { toCsv, toJson, toNdjson } from "#lib/features/videos/engine/exports.ts";
import { extract } from "#lib/features/videos/engine/extract.ts";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";
import type { Asked, ExportFormat, Telling, Told } from "./ask-worker.ts";

/**
 * Reads pasted pages off the main thread (R-VID-31): text in, records out. It has no document, so nothing in the markup
 * can run or be fetched; the text itself is neither kept nor handed on.
 */
const NAME = "tiktok_videos";
/** Progress is told in steps of this share: a page has a hundred thousand marks. */
const STEP = 0.02;

let videos: readonly ExtractedVideo[] = [];

const tell = (turn: number, told: Told): void => self.postMessage({ ...told, turn } satisfies Telling);

const read = async (html: string | Blob, turn: number): Promise<Told> => {
  let last = 0;
  const onProgress = (share: number) => {
    if (share - last < STEP) return;
    last = share;
    tell(turn, { type: "progress", share });
  };
  const extraction = extract(typeof html === "string" ? html : await html.text(), { onProgress });
  videos = extraction.videos;
  return { type: "extracted", extraction, analysis: analyse(videos, new Set()) };
};

const WRITERS: Record<ExportFormat, (chosen: ExtractedVideo[]) => Promise<Blob>> = {
  csv: async (chosen) => new Blob([toCsv(chosen)], { type: "text/csv;charset=utf-8" }),
  json: async (chosen) => new Blob([toJson(chosen)], { type: "application/json" }),
  ndjson: async (chosen) => new Blob([toNdjson(chosen)], { type: "application/x-ndjson" }),
  xlsx: async (chosen) => (await import("#lib/features/videos/engine/exports.ts")).toXlsx(chosen),
};

/** the selected videos, if any are, else all. */
const write = async (format: ExportFormat, selected: readonly number[]): Promise<Told> => {
  const ids = new Set(selected);
  const chosen = videos.filter(({ id }) => ids.size === 0 || ids.has(id));
  return { type: "exported", blob: await WRITERS[format](chosen), name: `${NAME}.${format}` };
};

const answer = async (asked: Asked): Promise<Told> => {
  if (asked.type === "extract") return read(asked.html, asked.turn);
  if (asked.type === "export") return write(asked.format, asked.selected);
  return { type: "analysis", analysis: analyse(videos, new Set(asked.selected)) };
};

self.addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  answer(data).then(
    (told) => tell(data.turn, told),
    (error: unknown) =>
      tell(data.turn, { type: "failed", message: error instanceof Error ? error.message : "unknown" }),
  );
});
