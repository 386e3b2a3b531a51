import { CsvError, parse } from "csv-parse/sync";
import { restoreFormula } from "#lib/core/text.ts";
import { CELL_MAX, CELLS_MAX, COLUMNS_MAX, ROWS_MAX, type SheetFault } from "../constants.ts";

/** `number`: of the row in the sheet, from 1. */
interface SheetRow {
  number: number;
  cells: string[];
}

export interface Sheet {
  headers: string[];
  rows: SheetRow[];
}

export type SheetReading = { kind: "read"; sheet: Sheet } | { kind: "refused"; fault: SheetFault };

const refuse = (fault: SheetFault): SheetReading => ({ kind: "refused", fault });

const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === "");

/** Without empty columns at the end, and as PostgreSQL can store it. */
const trimmed = (cells: readonly string[]): string[] =>
  cells
    .slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1)
    .map((cell) => restoreFormula(cell.toWellFormed().replaceAll("\0", "")));

const faultOf = (rows: readonly SheetRow[]): SheetFault | null => {
  if (rows.length > ROWS_MAX + 1) return "too_many_rows";
  let chars = 0;
  for (const { cells } of rows) {
    if (cells.length > COLUMNS_MAX) return "too_many_columns";
    for (const cell of cells) {
      if (cell.length > CELL_MAX) return "cell_too_long";
      chars += cell.length;
    }
  }
  return chars > CELLS_MAX ? "too_much_text" : null;
};

/** The first row that isn't blank has the column names. Blank rows are left out; the others keep their numbers. */
export const toSheet = (table: readonly (readonly string[])[]): SheetReading => {
  const rows = table.flatMap((cells, index) => (isBlank(cells) ? [] : [{ number: index + 1, cells: trimmed(cells) }]));
  const fault = faultOf(rows);
  if (fault) return refuse(fault);
  const [header, ...data] = rows;
  if (!header) return refuse("empty");
  if (data.length === 0) return refuse("no_rows");
  return { kind: "read", sheet: { headers: header.cells.map((name) => name.trim()), rows: data } };
};

const BOMS = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

const SAMPLE_BYTES = 4_000;

/** UTF-16 without a byte order mark: nearly every other byte of Western text is zero. */
const utf16Of = (bytes: Uint8Array): "utf-16le" | "utf-16be" | null => {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const many = sample.length / 5;
  if (odd > many && even < many / 10) return "utf-16le";
  return even > many && odd < many / 10 ? "utf-16be" : null;
};

/** UTF-8 and UTF-16 with or without a byte order mark, else what Excel writes on Western Windows. */
export const decodeText = (bytes: Uint8Array): string => {
  const marked = BOMS.find((bom) => bom.bytes.every((byte, at) => bytes[at] === byte));
  const encoding = marked?.encoding ?? utf16Of(bytes) ?? "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: encoding === "utf-8" && !marked }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return new TextDecoder("windows-1252").decode(bytes);
    throw error;
  }
};

const DELIMITERS = [",", ";", "\t", "|", "^", "~", ":"] as const;

const parseTable = (text: string, delimiter: string, to?: number): string[][] =>
  parse(text, {
    delimiter,
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: false,
    max_record_size: COLUMNS_MAX * CELL_MAX,
    ...(to !== undefined && { to }),
  });

/** Enough to guess the delimiter. */
const SAMPLE_ROWS = 20;

/** How many columns the sample has with this delimiter, and in how many rows as many as in the first one. */
const scoreOf = (text: string, delimiter: string): number => {
  try {
    const [header = [], ...rows] = parseTable(text, delimiter, SAMPLE_ROWS).filter((cells) => !isBlank(cells));
    if (header.length < 2) return 0;
    const matching = rows.filter(({ length }) => length === header.length).length;
    return header.length * (1 + matching) * (delimiter === ":" ? 0.1 : 1);
  } catch (error) {
    if (error instanceof CsvError) return 0;
    throw error;
  }
};

/** Text with one column has no delimiter; any of them reads it. */
export const guessDelimiter = (text: string): string => {
  const scores = DELIMITERS.map((delimiter) => ({ delimiter, score: scoreOf(text, delimiter) }));
  const best = Math.max(...scores.map(({ score }) => score));
  return scores.find(({ score }) => score === best)?.delimiter ?? ",";
};

/** One header and as many rows as are allowed, and one more that shows that there are too many. */
const READ_MAX = (ROWS_MAX + 2) * 2;

/** Reads delimited text. Never throws for any text. */
export const readText = (text: string): SheetReading => {
  // Control characters that text doesn't have: a picture, a program, or another kind of file.
  if (/[\p{Cc}--[\t\n\v\f\r\x85]]/v.test(text.slice(0, SAMPLE_BYTES))) return refuse("not_a_sheet");
  try {
    const table = parseTable(text, guessDelimiter(text), READ_MAX);
    return table.length >= READ_MAX ? refuse("too_many_rows") : toSheet(table);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return refuse(error.code === "CSV_MAX_RECORD_SIZE" ? "cell_too_long" : "broken");
  }
};

const startsWith = (bytes: Uint8Array, expected: readonly number[]): boolean =>
  expected.every((byte, at) => bytes[at] === byte);

/** Recognizes a file by its first bytes, whatever its name. */
export const kindOf = (bytes: Uint8Array): "zip" | "old_excel" | "text" => {
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04]) || startsWith(bytes, [0x50, 0x4b, 0x05, 0x06])) return "zip";
  return startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]) ? "old_excel" : "text";
};
