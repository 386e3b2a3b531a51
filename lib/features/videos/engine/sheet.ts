import { viewsOf } from "./counts.ts";
import { COLUMNS, cellOf } from "./exports.ts";
import type { ExtractedVideo } from "./types.ts";

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
