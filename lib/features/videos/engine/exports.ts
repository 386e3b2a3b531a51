import { toCsvText, toXlsxText } from "#lib/core/text.ts";
import { viewsOf } from "./analysis.ts";
import type { ExtractedVideo } from "./types.ts";

/** Columns of the export, in order: those of A-81, then what was added. */
export const COLUMNS = [
  "id",
  "video_url",
  "title",
  "author",
  "author_url",
  "thumbnail_url",
  "views_count",
  "date_posted",
  "hashtags",
] as const;

export const cellOf = (video: ExtractedVideo, column: (typeof COLUMNS)[number]): string => {
  if (column === "hashtags") return video.hashtags.join(", ");
  return String(video[column] ?? "");
};

export const toCsv = (videos: readonly ExtractedVideo[]): string =>
  toCsvText([COLUMNS, ...videos.map((video) => COLUMNS.map((column) => cellOf(video, column)))]);

const withoutSources = ({ sources: _, ...record }: ExtractedVideo): Omit<ExtractedVideo, "sources"> => record;

export const toJson = (videos: readonly ExtractedVideo[]): string =>
  `${JSON.stringify(videos.map(withoutSources), null, 2)}\n`;

export const toNdjson = (videos: readonly ExtractedVideo[]): string =>
  videos.map((video) => `${JSON.stringify(withoutSources(video))}\n`).join("");

/** Cells are typed as text, which spreadsheets do not run as formulas. The library is loaded on demand. */
export const toXlsx = async (videos: readonly ExtractedVideo[]): Promise<Blob> => {
  const { default: writeSheet } = await import("write-excel-file/universal");
  const header = [...COLUMNS, "views", "duration_seconds"].map((value) => ({
    value,
    type: String,
    fontWeight: "bold" as const,
  }));
  const rows = videos.map((video) => [
    ...COLUMNS.map((column) => ({ value: toXlsxText(cellOf(video, column)), type: String })),
    { value: viewsOf(video.views_count), type: Number },
    video.duration_seconds === null ? null : { value: video.duration_seconds, type: Number },
  ]);
  return writeSheet([header, ...rows], { sheet: "Videos" }).toBlob();
};
