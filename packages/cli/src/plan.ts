import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "csv-parse/sync";
import type { Board } from "./api.d.ts";
import { CliError } from "./client.ts";

const COLUMNS = ["image", "keyword", "board", "title", "description", "alt_text", "link", "publish_at"] as const;
type Column = (typeof COLUMNS)[number];
type Row = Partial<Record<Column, string>>;

/** A pin from an image of this computer. */
export interface OwnPin {
  file: string;
  boardId: string;
  title: string;
  description: string;
  altText: string;
  link: string | undefined;
  /** ISO 8601; undefined: stays a draft. */
  publishAt: string | undefined;
  /** The same for the same row, so that a repeated import creates nothing twice within a day. */
  key: string;
}

/** A pin to be generated. */
export interface KeywordPin {
  keyword: string;
  link: string | undefined;
  boardId: string;
}

export interface Plan {
  own: OwnPin[];
  keywords: KeywordPin[];
}

export const digestOf = (...parts: (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};

/** By name or ID. @throws CliError unless exactly one matches */
export const boardOf = (boards: readonly Board[], name: string | undefined): Board => {
  const wanted = name?.trim().toLowerCase();
  const found = boards.filter((board) => board.id === name || board.name.toLowerCase() === wanted);
  const [board] = found;
  if (board && found.length === 1) return board;
  const names = boards.map((one) => one.name).join(", ");
  if (!name) throw new CliError(`Choose a board: ${names}`, 2);
  const problem =
    found.length > 1 ? `More than one board is called "${name}". Use its ID.` : `No board is called "${name}".`;
  throw new CliError(`${problem} Boards: ${names}`, 2);
};

/** With an offset, so that it means the same everywhere. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

export const isTime = (text: string): boolean => TIME.test(text) && !Number.isNaN(Date.parse(text));

/** The API's limits, in characters. */
const LENGTHS = { title: 100, description: 800, alt_text: 500, link: 2_048, keyword: 200 } as const;

const lengthProblems = (row: Row): string[] =>
  Object.entries(LENGTHS).flatMap(([column, most]) =>
    (row[column as keyof typeof LENGTHS] ?? "").length > most ? [`has more than ${most} characters in ${column}`] : [],
  );

const isLink = (text: string): boolean =>
  URL.canParse(text) && /^https?:/i.test(text) && new URL(text).href.length <= LENGTHS.link;

const YEAR_MS = 365 * 86_400_000;

const problemsOf = (row: Row, file: string | null): string[] => [
  ...lengthProblems(row),
  ...(row.link && !isLink(row.link) ? ["needs a link that starts with https://"] : []),
  ...(row.publish_at && isTime(row.publish_at) && Date.parse(row.publish_at) > Date.now() + YEAR_MS
    ? ["has a publish_at more than a year from now"]
    : []),
  ...(row.image && row.keyword ? ["has both an image and a keyword"] : []),
  ...(row.image || row.keyword ? [] : ["needs an image or a keyword"]),
  ...(row.image && !row.title ? ["needs a title"] : []),
  ...(file && !existsSync(file) ? [`names an image that doesn't exist: ${file}`] : []),
  ...(row.keyword && row.publish_at ? ["can't have publish_at: check generated pins first"] : []),
  ...(row.publish_at && !isTime(row.publish_at) ? ["needs a publish_at like 2027-01-31T09:00:00+01:00"] : []),
];

const readRows = (path: string): Row[] => {
  try {
    const rows: Row[] = parse(readFileSync(path), { bom: true, columns: true, skip_empty_lines: true, trim: true });
    const unknown = Object.keys(rows[0] ?? {}).find((name) => !COLUMNS.some((column) => column === name));
    if (unknown !== undefined) throw new CliError(`Unknown column: ${unknown}. Use: ${COLUMNS.join(", ")}`, 2);
    return rows;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${path} can't be read: ${error instanceof Error ? error.message : error}`, 2);
  }
};

/** Without the time: a row whose time was wrong is corrected without a second draft. */
const contentOf = ({ publish_at: _, ...row }: Row): string => JSON.stringify(row);

/** `copy`: how many earlier rows say the same, since each of them is a pin of its own. */
const toOwnPin = (
  row: Row,
  { file, boardId, accountId, copy }: { file: string; boardId: string; accountId: string; copy: number },
): OwnPin => ({
  ...{ file, boardId, title: row.title ?? "", description: row.description ?? "", altText: row.alt_text ?? "" },
  ...{ link: row.link || undefined, publishAt: row.publish_at || undefined },
  key: digestOf(accountId, boardId, contentOf(row), readFileSync(file), ...(copy > 0 ? [String(copy)] : [])),
});

/** Reads a whole plan before anything is sent. @throws CliError that names every wrong row */
export const readPlan = (path: string, accountId: string, boards: readonly Board[]): Plan => {
  const plan: Plan = { own: [], keywords: [] };
  const problems: string[] = [];
  const copies = new Map<string, number>();
  for (const [index, row] of readRows(path).entries()) {
    const file = row.image ? resolve(dirname(path), row.image) : null;
    const own = problemsOf(row, file);
    try {
      const { id } = boardOf(boards, row.board);
      if (own.length > 0) problems.push(...own.map((text) => `Row ${index + 2} ${text}.`));
      else if (file) {
        const copy = copies.get(contentOf(row)) ?? 0;
        copies.set(contentOf(row), copy + 1);
        plan.own.push(toOwnPin(row, { file, boardId: id, accountId, copy }));
      } else plan.keywords.push({ keyword: row.keyword ?? "", link: row.link || undefined, boardId: id });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problems.push(...[...own.map((text) => `Row ${index + 2} ${text}.`), `Row ${index + 2}: ${error.message}`]);
    }
  }
  if (problems.length > 0) throw new CliError(`Nothing was imported.\n${problems.join("\n")}`, 2);
  return plan;
};
