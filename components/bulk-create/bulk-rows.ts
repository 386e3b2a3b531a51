import { httpUrl } from "#lib/core/paths.ts";
import { BULK_MAX, LINK_MAX, TEXTS, TITLE_MAX } from "#lib/features/pins/constants.ts";

/** The texts of a row that are typed. */
export type RowText = "title" | "description" | "url";

/** An image that was chosen for a row. */
export interface RowPicture {
  file: File;
  /** Address under which this page shows it. */
  preview: string;
  /** Why the server would refuse it, as far as that can be seen from here. */
  problem: string | null;
  /** What is worth knowing about it. */
  note: string | null;
}

/** One pin to be; `key` names it while it is edited. */
export interface BulkRow extends Record<RowText, string> {
  key: string;
  /** Counts only while the row is unlocked: else it goes where all go (R-BULK-05, A-16). */
  boardId: string | null;
  isUnlocked: boolean;
  picture: RowPicture | null;
}

/** The form: of its rows the first `count` are there, the others wait in case the number goes up again. */
export interface BulkForm {
  rows: BulkRow[];
  count: number;
  /** The board of all rows that are not unlocked. */
  boardId: string | null;
  /** Images that found no room. */
  leftOut: number;
}

let made = 0;

/** An empty row with a name of its own, also among rows that were kept from an earlier visit. */
const emptyRow = (): BulkRow => {
  made += 1;
  const key = `${Date.now().toString(36)}-${made}`;
  return { key, title: "", description: "", url: "", boardId: null, isUnlocked: false, picture: null };
};

/** Its row has the same key in the page that the server draws and in the browser's, which takes that page over. */
export const emptyForm = (): BulkForm => ({
  rows: [{ ...emptyRow(), key: "first" }],
  count: 1,
  boardId: null,
  leftOut: 0,
});

export const shownRows = (form: BulkForm): BulkRow[] => form.rows.slice(0, form.count);

/** Where a row's pin goes. */
export const boardOf = (form: BulkForm, row: BulkRow): string | null => (row.isUnlocked ? row.boardId : form.boardId);

const isEmpty = ({ title, description, url, picture }: BulkRow): boolean => !title && !description && !url && !picture;

/** R-BULK-02: as many rows as the number says. What is in rows beyond it comes back when the number goes up again. */
export const withCount = (form: BulkForm, count: number): BulkForm => {
  const missing = Math.max(0, count - form.rows.length);
  return { ...form, count, rows: [...form.rows, ...Array.from({ length: missing }, emptyRow)], leftOut: 0 };
};

const change = (form: BulkForm, key: string, next: (row: BulkRow) => BulkRow): BulkForm => ({
  ...form,
  rows: form.rows.map((row) => (row.key === key ? next(row) : row)),
});

export const withText = (form: BulkForm, key: string, part: RowText, text: string): BulkForm =>
  change(form, key, (row) => ({ ...row, [part]: text }));

/** 'IMG_2041-moss_garden.jpg' → 'IMG 2041 moss garden'. */
export const titleOf = (fileName: string): string =>
  fileName
    .replace(/\.[a-z0-9]{1,5}$/i, "")
    .replace(/[_\-.\s]+/g, " ")
    .trim()
    .slice(0, TITLE_MAX);

/** A title that was typed stays; one that came from the image before goes with it. */
const withOnePicture = (row: BulkRow, picture: RowPicture): BulkRow => {
  const isNamedByImage = row.picture !== null && row.title === titleOf(row.picture.file.name);
  return { ...row, picture, title: row.title && !isNamedByImage ? row.title : titleOf(picture.file.name) };
};

export const withPicture = (form: BulkForm, key: string, picture: RowPicture): BulkForm =>
  change(form, key, (row) => withOnePicture(row, picture));

/** Gives images to the rows that have none, and makes rows for the others while there is room. */
export const withPictures = (form: BulkForm, pictures: readonly RowPicture[]): BulkForm => {
  const left = [...pictures];
  const filled = shownRows(form).map((row) => {
    const next = row.picture ? undefined : left.shift();
    return next ? withOnePicture(row, next) : row;
  });
  // Rows that the number took away come after; they keep what is in them.
  const waiting = form.rows.slice(form.count).filter((row) => !isEmpty(row));
  const added = left.splice(0, BULK_MAX - filled.length).map((picture) => withOnePicture(emptyRow(), picture));
  const rows = [...filled, ...added];
  return { ...form, rows: [...rows, ...waiting], count: rows.length, leftOut: left.length };
};

/** R-BULK-05, A-16: a board chosen in a row is that of all rows, but for those that are unlocked. */
export const withBoard = (form: BulkForm, key: string, boardId: string | null): BulkForm => {
  const row = form.rows.find((one) => one.key === key);
  return row?.isUnlocked ? change(form, key, (one) => ({ ...one, boardId })) : { ...form, boardId };
};

/** Unlocked, a row begins with the board that it had; locked again, it goes where all go. */
export const withLockTurned = (form: BulkForm, key: string): BulkForm =>
  change(form, key, (row) => ({ ...row, isUnlocked: !row.isUnlocked, boardId: form.boardId }));

/** Copies a text of a row into all rows below. */
export const withFilledDown = (form: BulkForm, key: string, part: RowText): BulkForm => {
  const from = form.rows.findIndex((row) => row.key === key);
  const text = form.rows[from]?.[part];
  if (text === undefined) return form;
  const rows = form.rows.map((row, at) => (at > from && at < form.count ? { ...row, [part]: text } : row));
  return { ...form, rows };
};

/** Takes a row away; the last one is emptied instead (R-BULK-02). */
export const withoutRow = (form: BulkForm, key: string): BulkForm => {
  const rows = form.rows.filter((row) => row.key !== key);
  return form.count > 1
    ? { ...form, rows, count: form.count - 1, leftOut: 0 }
    : { ...form, rows: [emptyRow(), ...rows], leftOut: 0 };
};

/** Puts a removed row back at its place, from 0. */
export const withRowBack = (form: BulkForm, row: BulkRow, at: number): BulkForm => {
  const shown = shownRows(form);
  // Removing the only row left an empty one behind.
  const others = shown.length === 1 ? shown.filter((one) => !isEmpty(one)) : shown;
  if (others.length >= BULK_MAX) return form;
  const rows = [...others.slice(0, at), row, ...others.slice(at)];
  return { ...form, rows: [...rows, ...form.rows.slice(form.count)], count: rows.length };
};

/** A change of account takes the boards away: they are another's. */
export const withoutBoards = (form: BulkForm): BulkForm => ({
  ...form,
  boardId: null,
  rows: form.rows.map((row) => ({ ...row, boardId: null })),
});

/** What is missing or wrong in a row, by its part (R-BULK-04); `row`: what the server says about all of it. */
export type RowProblems = Partial<Record<RowText | "picture" | "board" | "row", string>>;

/** How much of each file has been sent, when so much of the whole body was: they go one after the other. */
export const sentPercents = (sizes: readonly number[], sentBytes: number): number[] => {
  let before = 0;
  return sizes.map((size) => {
    const sent = Math.min(size, Math.max(0, sentBytes - before));
    before += size;
    return size === 0 ? 100 : Math.floor((sent / size) * 100);
  });
};

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

/** Files that the server kept from an earlier try, with their SHA-256. */
export type KeptFiles = ReadonlyMap<File, string>;

/** The multipart body of R-BULK-08: each pin by itself, and all of them once more, without files that are kept. */
export const toFormData = (form: BulkForm, accountId: string, kept: KeptFiles = new Map()): FormData => {
  const rows = shownRows(form);
  const digestOf = ({ picture }: BulkRow) => (picture ? kept.get(picture.file) : undefined);
  const texts = rows.map((row) => ({
    board_id: boardOf(form, row),
    title: row.title.trim(),
    description: row.description.trim(),
    ...(row.url.trim() && { url: row.url.trim() }),
    ...(digestOf(row) && { image_sha256: digestOf(row) }),
  }));
  const body = new FormData();
  body.set("pinterest_account", accountId);
  body.set("number_of_pins", String(rows.length));
  for (const [index, row] of rows.entries()) {
    const { picture } = row;
    body.set(`pins[${index}]`, JSON.stringify(texts[index]));
    if (picture && !digestOf(row)) body.set(`pins[${index}][image]`, picture.file, picture.file.name);
  }
  body.set("pins", JSON.stringify(texts));
  return body;
};

/** R-BULK-08, R-BULK-10: this call's refusals are read from `message`; without one it is the literal fallback. */
export const failureText = (body: unknown): string => {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : null;
  return typeof message === "string" && message !== "" ? message : TEXTS.bulkFailed;
};

const textIn = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first.replace(/^Pin \d+: /, "") : undefined;
};

/** What a refusal says about single pins, by the keys of their rows. */
export const fieldTexts = (body: unknown, form: BulkForm): Map<string, RowProblems> => {
  const fields: unknown = typeof body === "object" && body !== null && "fields" in body ? body.fields : null;
  const texts = new Map<string, unknown>(typeof fields === "object" && fields !== null ? Object.entries(fields) : []);
  return new Map(
    shownRows(form).flatMap(({ key }, index) => {
      const row = textIn(texts.get(`pins[${index}]`));
      return row === undefined ? [] : [[key, { row }] as const];
    }),
  );
};

/** Which files of a form that was refused the server keeps: they need not be sent again. Null: it does not say. */
export const keptIn = (body: unknown, form: BulkForm): File[] | null => {
  const kept: unknown = typeof body === "object" && body !== null && "kept" in body ? body.kept : null;
  if (!Array.isArray(kept)) return null;
  const names = new Set<unknown>(kept);
  return shownRows(form).flatMap(({ picture }, index) =>
    picture && names.has(`pins[${index}]`) ? [picture.file] : [],
  );
};

/** A try that ended before there was any answer. */
export interface BrokenOff {
  /** The form as it was: what is said of it holds for no other. */
  form: BulkForm;
  /** By its user's word; else the line was lost. */
  isByUser: boolean;
  /** How many of the images had gone whole; null when sending had not begun. */
  sent: { whole: number; all: number } | null;
  /** The next try can ask which images are kept, and sends only the others. */
  canSkip: boolean;
}

/** What such a try leaves: its images are kept as they come to be read, so a next try may still send some again. */
export const brokenOffText = ({ isByUser, sent, canSkip }: Omit<BrokenOff, "form">): string => {
  const broken = isByUser ? "Stopped" : "The connection was lost";
  if (!sent) return `${broken} before anything was sent.`;
  const { whole, all } = sent;
  if (whole === 0) return `${broken} before an image was through. Create sends all of them.`;
  if (whole === all) {
    return `${broken} after all images were sent: the drafts may be there. Create, with nothing changed, makes none twice.`;
  }
  const next = canSkip ? "Create sends only what is not kept here yet." : "Create sends all of them again.";
  return `${broken} after ${whole} of ${all} images. ${next}`;
};
