/** A name as a piece of an address: lower case, words joined by hyphens (A-01). */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "") || "product";

/** Fills slots like `{product}` in a text. @throws Error for a slot that has no value */
export const fillSlots = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The text has a slot {${name}} that nothing fills.`);
    return value;
  });

/**
 * A text from outside as it is stored. PostgreSQL takes no NUL, and no reader can see the other control characters.
 * Letters are composed, as a search asks for them: names of files come decomposed from some systems.
 */
export const visible = (value: string): string =>
  value
    .toWellFormed()
    .replace(/[\p{Cc}--[\n]]/gv, "")
    .normalize("NFC")
    .trim();

/** The most characters that a search may have, and how many of its words count. */
export const SEARCH_MAX = 200;
const SEARCH_WORDS_MAX = 10;

/** Words that what is found must contain, each somewhere; letters' case does not matter. */
export const searchWords = (text: string): string[] =>
  [...new Set(text.normalize("NFC").toLowerCase().split(/\s+/u))]
    .filter((word) => word !== "")
    .slice(0, SEARCH_WORDS_MAX);

/** A whole number for reading, in the one manner of all screens and mails: '1,500'. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");

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
