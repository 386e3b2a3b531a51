export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "") || "product";

/** Fills slots such as `{product}`. @throws Error for a slot without a value */
export const fillSlots = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The text has a slot {${name}} that nothing fills.`);
    return value;
  });

/**
 * Without marks that change the direction of text: they make a title read differently than it is stored. Text in
 * right-to-left scripts needs none.
 */
export const withoutDirections = (value: string): string =>
  value.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");

/** No control characters, since PostgreSQL rejects NUL, and composed letters for search. */
export const visible = (value: string): string =>
  withoutDirections(value.toWellFormed())
    .replace(/[\p{Cc}--[\n]]/gv, "")
    .normalize("NFC")
    .trim();

/** PostgreSQL accepts neither NUL nor lone surrogates. */
export const toStorable = (value: string): string => value.toWellFormed().replaceAll("\u0000", "");

/** Cut to at most this many code points, so that no emoji is cut in half: JSON columns reject halves. */
export const firstChars = (text: string, max: number): string => [...text].slice(0, max).join("");

/** Characters that stand for bytes which the text's character set doesn't have. */
export const countBroken = (text: string): number => text.split("\ufffd").length - 1;

const BROKEN_MIN = 3;
const BROKEN_SHARE = 0.002;

/** Whether a text was decoded with the wrong character set: more broken characters than a slip would leave. */
export const isMisread = ({ broken, chars }: { broken: number; chars: number }): boolean =>
  broken > BROKEN_MIN && broken > chars * BROKEN_SHARE;

const LETTERS_MIN = 20;

/** No language consists of Latin letters with accents: these are letters of another alphabet in a single-byte encoding. */
export const isOtherAlphabet = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return letters >= LETTERS_MIN && (text.match(/[\u00c0-\u00ff]/g)?.length ?? 0) > letters / 2;
};

export const SEARCH_MAX = 200;
const SEARCH_WORDS_MAX = 10;

export const searchWords = (text: string): string[] =>
  [...new Set(text.normalize("NFC").toLowerCase().split(/\s+/u))]
    .filter((word) => word !== "")
    .slice(0, SEARCH_WORDS_MAX);

export const formatCount = (count: number): string => count.toLocaleString("en-US");

/** '1 pin', '1,240 pins'. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** A cell: text never runs as a formula; null is empty. */
export type CsvCell = string | number | null;

/** What spreadsheets treat as a formula, including full-width characters; also with apostrophes before it. */
const FORMULA = /^'*[\s]*[=+\-@\t\r＝＋－＠]/;

/** A leading apostrophe turns a formula into text. {@link restoreFormula} undoes it. */
export const neutralize = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** The text before {@link neutralize}; any other text stays as it is. */
export const restoreFormula = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text;

const cellText = (cell: CsvCell): string => (typeof cell === "string" ? neutralize(cell) : String(cell ?? ""));

const quote = (cell: CsvCell): string => `"${cellText(cell).replaceAll('"', '""')}"`;

/** For spreadsheets: RFC 4180, a byte order mark for accents, no formulas. `rows` include the header. */
export const toCsvText = (rows: readonly (readonly CsvCell[])[]): string =>
  `\uFEFF${rows.map((cells) => `${cells.map(quote).join(",")}\r\n`).join("")}`;

const XML_ILLEGAL = /[\uFFFE\uFFFF]/g;

/** For XLSX: its library looks texts up in a plain object, so names like "constructor" would corrupt the file. */
export const toXlsxText = (text: string): string => {
  const legal = text.replace(XML_ILLEGAL, "");
  return legal in {} ? `${legal} ` : legal;
};
