import "server-only";
import { type CellObject, CFB, type DenseWorkSheet, read, SSF, type WorkBook } from "@e965/xlsx";
import { ROWS_MAX, SHEET_BYTES_MAX, type SheetFault, XLSX_INFLATED_MAX, XLSX_PARTS_MAX } from "./constants.ts";
import { type SheetReading, toSheet } from "./engine/reading.ts";
import { openZip, readZipFile, ZipRefusal } from "./zip-files.ts";

const LIMITS = {
  // Folders count as well, but there are fewer of them than files.
  entriesMax: XLSX_PARTS_MAX * 2,
  filesMax: XLSX_PARTS_MAX,
  fileBytesMax: XLSX_INFLATED_MAX,
  totalBytesMax: XLSX_INFLATED_MAX,
};

/** Only these parts are read; pictures and macros are left out. */
const isRead = (name: string): boolean => /\.(xml|rels)$/i.test(name);

/** Spreadsheets have no document type, and entities in one may grow without bound. */
const hasEntities = (part: Buffer): boolean => /<!(DOCTYPE|ENTITY)/i.test(part.toString("latin1"));

/** Thrown in this file only. */
class Refusal extends Error {
  readonly fault: SheetFault;

  constructor(fault: SheetFault) {
    super(fault);
    this.fault = fault;
  }
}

/** A copy of the file with parts whose sizes were checked while inflating, since what a file says of itself may be wrong. */
const repack = async (bytes: Buffer): Promise<Buffer> => {
  const zip = await openZip(bytes, LIMITS);
  try {
    const copy = CFB.utils.cfb_new();
    for (const entry of zip.files.filter(({ fileName }) => isRead(fileName))) {
      const part = await readZipFile(zip, entry);
      if (hasEntities(part)) throw new Refusal("entities");
      CFB.utils.cfb_add(copy, `/${entry.fileName}`, part);
    }
    return CFB.write(copy, { fileType: "zip", type: "buffer", compression: false });
  } finally {
    zip.close();
  }
};

const two = (part: number): string => String(part).padStart(2, "0");

const MINUTES_PER_DAY = 24 * 60;

/** Spreadsheets store times as days; rounded, since 9:00 is 0.375 with an error. Null before 1900 and after 9999. */
const dateText = (days: number, date1904: boolean): string | null => {
  const minutes = Math.round(days * MINUTES_PER_DAY);
  const parsed: { y: number; m: number; d: number; H: number; M: number } | null = SSF.parse_date_code(
    minutes / MINUTES_PER_DAY + 1e-9,
    { date1904 },
  );
  if (!parsed) return null;
  const { y, m, d, H, M } = parsed;
  const time = `${two(H)}:${two(M)}`;
  if (days < 1) return time;
  const date = `${String(y).padStart(4, "0")}-${two(m)}-${two(d)}`;
  return Number.isInteger(days) ? date : `${date} ${time}`;
};

const textOf = (cell: CellObject | undefined, date1904: boolean): string => {
  if (!cell || cell.v === undefined || cell.v === null) return "";
  if (cell.t === "e") return cell.w ?? "";
  if (cell.v instanceof Date) return cell.v.toISOString().slice(0, 16);
  if (cell.t !== "n" || typeof cell.v !== "number") return String(cell.v);
  const date = typeof cell.z === "string" && SSF.is_date(cell.z) ? dateText(cell.v, date1904) : null;
  return date ?? String(cell.v);
};

/** Rows after many blank ones are found up to here; sheets that reach further have too many rows. */
const SHEET_ROWS_MAX = 4 * ROWS_MAX;

const lastRowOf = (sheet: DenseWorkSheet): number => {
  const [, row] = /:?\$?[A-Z]+\$?(\d+)$/.exec(String(sheet["!fullref"] ?? sheet["!ref"] ?? "")) ?? [];
  return Number(row ?? 0);
};

const tableOf = (book: WorkBook): SheetReading => {
  const sheet = book.Sheets[book.SheetNames[0] ?? ""] as DenseWorkSheet | undefined;
  if (!sheet) return { kind: "refused", fault: "not_a_sheet" };
  const date1904 = book.Workbook?.WBProps?.date1904 === true;
  const data = sheet["!data"] ?? [];
  const first = data.findIndex((cells) => cells !== undefined);
  if (first < 0) return { kind: "refused", fault: "empty" };
  const reading = toSheet(
    Array.from(data, (cells) => Array.from(cells ?? [], (cell: CellObject | undefined) => textOf(cell, date1904))),
  );
  const isCut = lastRowOf(sheet) > SHEET_ROWS_MAX;
  return isCut && reading.kind === "read" ? { kind: "refused", fault: "too_many_rows" } : reading;
};

const FAULTS = {
  broken: "broken",
  encrypted: "protected",
  too_many_entries: "bomb",
  too_many_files: "bomb",
  file_too_large: "bomb",
  bomb: "bomb",
  bad_path: "bad_path",
} as const;

const parseBook = (bytes: Buffer): SheetReading => {
  try {
    const options = { type: "buffer", dense: true, cellNF: true, cellFormula: false, cellHTML: false } as const;
    return tableOf(read(bytes, { ...options, sheets: 0, sheetRows: SHEET_ROWS_MAX }));
  } catch (error) {
    // The reader throws plain errors for what isn't a spreadsheet.
    if (error instanceof Error) return { kind: "refused", fault: "not_a_sheet" };
    throw error;
  }
};

/** Reads the first sheet of an XLSX file; dates become text such as `2026-12-01 09:30`. Never throws for any bytes. */
export const readWorkbook = async (bytes: Buffer): Promise<SheetReading> => {
  if (bytes.byteLength > SHEET_BYTES_MAX) return { kind: "refused", fault: "bomb" };
  try {
    return parseBook(await repack(bytes));
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", fault: error.fault };
    if (error instanceof ZipRefusal) return { kind: "refused", fault: FAULTS[error.problem] };
    throw error;
  }
};
