/** A number is written as it is; a text never runs as a formula; null is an empty cell. */
export type CsvCell = string | number | null;

/** What a spreadsheet takes for the beginning of a formula, in full width as well. */
const FORMULA = /^[\s]*[=+\-@\t\r＝＋－＠]/;

/** An apostrophe before makes text of a formula (A-81). */
const neutralise = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const cellText = (cell: CsvCell): string => (typeof cell === "string" ? neutralise(cell) : String(cell ?? ""));

const quote = (cell: CsvCell): string => `"${cellText(cell).replaceAll('"', '""')}"`;

/**
 * A table for spreadsheets (R-VID-19, A-81): RFC 4180 with every cell in quotes, lines ended by CRLF, a byte order
 * mark so that accents are read, and no text that would run as a formula.
 * @param rows the head among them
 */
export const toCsvText = (rows: readonly (readonly CsvCell[])[]): string =>
  `\uFEFF${rows.map((cells) => `${cells.map(quote).join(",")}\r\n`).join("")}`;
