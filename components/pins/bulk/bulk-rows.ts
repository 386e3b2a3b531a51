import { BULK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";

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
export const emptyRow = (): BulkRow => {
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
