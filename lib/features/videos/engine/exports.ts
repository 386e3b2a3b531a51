import { toCsvText } from "#lib/core/text.ts";
import { viewsOf } from "./analysis.ts";
import type { ExtractedVideo } from "./types.ts";

/** Columns of a table of videos, in order. */
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

/** The text of a cell: hashtags are joined, what is missing is empty. */
export const cellOf = (video: ExtractedVideo, column: (typeof COLUMNS)[number]): string => {
  if (column === "hashtags") return video.hashtags.join(", ");
  return String(video[column] ?? "");
};

/** A table for spreadsheets (R-VID-19, A-81). */
export const toCsv = (videos: readonly ExtractedVideo[]): string =>
  toCsvText([COLUMNS, ...videos.map((video) => COLUMNS.map((column) => cellOf(video, column)))]);

/** The record without where its fields were read: that is of the screen, not of the video. */
const withoutSources = ({ sources: _, ...record }: ExtractedVideo): Omit<ExtractedVideo, "sources"> => record;

/** A JSON list of the records (R-VID-18). */
export const toJson = (videos: readonly ExtractedVideo[]): string =>
  `${JSON.stringify(videos.map(withoutSources), null, 2)}\n`;

/** One record of JSON a line; empty for no videos. */
export const toNdjson = (videos: readonly ExtractedVideo[]): string =>
  videos.map((video) => `${JSON.stringify(withoutSources(video))}\n`).join("");

/** Characters that no XML may have. */
const ILLEGAL = /[\uFFFE\uFFFF]/g;

/** The writer finds texts again by their names in an object: one that each object has would break the file. */
const textOf = (text: string): string => {
  const legal = text.replace(ILLEGAL, "");
  return legal in {} ? `${legal} ` : legal;
};

/**
 * A workbook of one sheet: the columns of the table, and the views as a number to sort by. All else are cells
 * of text, which no spreadsheet runs as a formula. Its writer is loaded only when it is used.
 */
export const toXlsx = async (videos: readonly ExtractedVideo[]): Promise<Blob> => {
  const { default: writeSheet } = await import("write-excel-file/universal");
  const header = [...COLUMNS, "views"].map((value) => ({ value, type: String, fontWeight: "bold" as const }));
  const rows = videos.map((video) => [
    ...COLUMNS.map((column) => ({ value: textOf(cellOf(video, column)), type: String })),
    { value: viewsOf(video.views_count), type: Number },
  ]);
  return writeSheet([header, ...rows], { sheet: "Videos" }).toBlob();
};
