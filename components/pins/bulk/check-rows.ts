import { type BulkForm, type BulkRow, boardOf, type RowProblems, shownRows } from "#components/pins/bulk/bulk-rows.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { LINK_MAX, TEXTS } from "#lib/features/pins/constants.ts";

const urlProblem = (url: string): string | undefined => {
  if (url.trim() === "") return undefined;
  if (url.length > LINK_MAX) return TEXTS.linkTooLong;
  return httpUrl(url.trim()) ? undefined : TEXTS.linkInvalid;
};

/** What stands against sending the form, by the rows' keys; empty when nothing does (R-BULK-04). */
export const checkRows = (form: BulkForm): Map<string, RowProblems> => {
  const problems = new Map<string, RowProblems>();
  for (const row of shownRows(form)) {
    const found: RowProblems = {
      ...(row.picture ? row.picture.problem && { picture: row.picture.problem } : { picture: TEXTS.pictureNeeded }),
      ...(row.title.trim() === "" && { title: TEXTS.titleNeeded }),
      ...(boardOf(form, row) === null && { board: TEXTS.boardInvalid }),
    };
    const url = urlProblem(row.url);
    if (url) found.url = url;
    if (Object.keys(found).length > 0) problems.set(row.key, found);
  }
  return problems;
};

/** The parts that can be looked at here, and how what is in them is read. */
const PARTS = {
  title: (_, row) => row.title,
  description: (_, row) => row.description,
  url: (_, row) => row.url,
  picture: (_, row) => row.picture,
  board: boardOf,
} as const satisfies Partial<Record<keyof RowProblems, (form: BulkForm, row: BulkRow) => unknown>>;

const PART_NAMES = ["title", "description", "url", "picture", "board"] as const satisfies (keyof typeof PARTS)[];

const leftInRow = (problems: RowProblems, isChanged: (part: keyof typeof PARTS) => boolean, found: RowProblems) => {
  const changed = PART_NAMES.filter(isChanged);
  if (changed.length === 0) return problems;
  // What the server said about the row as a whole may be about any of its parts.
  const { row: _, ...left } = problems;
  for (const part of changed) {
    if (left[part] === undefined) continue;
    const text = found[part];
    if (text === undefined) delete left[part];
    else left[part] = text;
  }
  return left;
};

/**
 * What is left of the problems of a form that was refused, now that it has been worked on: a part that was changed is
 * only to blame while something is still wrong with it. An untouched row's problems stay the same object.
 */
export const problemsLeft = (
  problems: ReadonlyMap<string, RowProblems>,
  refused: BulkForm,
  form: BulkForm,
): ReadonlyMap<string, RowProblems> => {
  if (problems.size === 0 || refused === form) return problems;
  const found = checkRows(form);
  const before = new Map(refused.rows.map((row) => [row.key, row]));
  const left = new Map<string, RowProblems>();
  for (const row of shownRows(form)) {
    const [old, said] = [before.get(row.key), problems.get(row.key)];
    if (!old || !said) continue;
    const isChanged = (part: keyof typeof PARTS) => PARTS[part](form, row) !== PARTS[part](refused, old);
    const inRow = leftInRow(said, isChanged, found.get(row.key) ?? {});
    if (Object.keys(inRow).length > 0) left.set(row.key, inRow);
  }
  return left;
};
