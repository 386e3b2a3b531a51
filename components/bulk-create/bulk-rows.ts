import { httpUrl } from "#lib/core/paths.ts";
import { BULK_MAX, LINK_MAX, TEXTS, TITLE_MAX } from "#lib/features/pins/constants.ts";

/** The chosen board and its section, as far as chosen. */
export interface PlaceChoice {
  boardId: string | null;
  boardSectionId: string | null;
}

const NO_PLACE: PlaceChoice = { boardId: null, boardSectionId: null };

export type RowText = "title" | "description" | "url";

export interface RowImage {
  file: File;
  /** Object URL. */
  preview: string;
  /** Why the server would reject it, as far as the client can tell. */
  problem: string | null;
  note: string | null;
}

/** Its place is used only while the row is unlocked; other rows share the form's. */
export interface BulkRow extends Record<RowText, string>, PlaceChoice {
  key: string;
  isUnlocked: boolean;
  image: RowImage | null;
}

/**
 * Only the first `count` rows are shown. The others keep their content in case the number goes up again. Its place is the
 * shared one of all locked rows.
 */
export interface BulkForm extends PlaceChoice {
  rows: BulkRow[];
  count: number;
  /** Images beyond the maximum number of pins. */
  leftOut: number;
}

let rowCount = 0;

/** The key is unique even among rows restored from an earlier visit. */
const emptyRow = (): BulkRow => {
  rowCount += 1;
  const key = `${Date.now().toString(36)}-${rowCount}`;
  return { key, title: "", description: "", url: "", ...NO_PLACE, isUnlocked: false, image: null };
};

/** The first row has a constant key, so that server and client render the same. */
export const emptyForm = (): BulkForm => ({
  rows: [{ ...emptyRow(), key: "first" }],
  count: 1,
  ...NO_PLACE,
  leftOut: 0,
});

export const shownRows = (form: BulkForm): BulkRow[] => form.rows.slice(0, form.count);

export const placeOf = (form: BulkForm, row: BulkRow): PlaceChoice => {
  const { boardId, boardSectionId } = row.isUnlocked ? row : form;
  return { boardId, boardSectionId };
};

const boardOf = (form: BulkForm, row: BulkRow): string | null => placeOf(form, row).boardId;

const isEmpty = ({ title, description, url, image }: BulkRow): boolean => !title && !description && !url && !image;

/** Adds rows as needed and never deletes any. */
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
const withOneImage = (row: BulkRow, image: RowImage): BulkRow => {
  const isNamedByImage = row.image !== null && row.title === titleOf(row.image.file.name);
  return { ...row, image, title: row.title && !isNamedByImage ? row.title : titleOf(image.file.name) };
};

export const withImage = (form: BulkForm, key: string, image: RowImage): BulkForm =>
  change(form, key, (row) => withOneImage(row, image));

/** Adds images to rows without one, and then to new rows up to the maximum. */
export const withImages = (form: BulkForm, images: readonly RowImage[]): BulkForm => {
  const left = [...images];
  const filled = shownRows(form).map((row) => {
    const next = row.image ? undefined : left.shift();
    return next ? withOneImage(row, next) : row;
  });
  // Hidden rows with content stay, after the shown ones.
  const waiting = form.rows.slice(form.count).filter((row) => !isEmpty(row));
  const added = left.splice(0, BULK_MAX - filled.length).map((image) => withOneImage(emptyRow(), image));
  const rows = [...filled, ...added];
  return { ...form, rows: [...rows, ...waiting], count: rows.length, leftOut: left.length };
};

/** A locked row changes the shared place, an unlocked row its own. */
export const withPlace = (form: BulkForm, key: string, place: PlaceChoice): BulkForm => {
  const row = form.rows.find((one) => one.key === key);
  return row?.isUnlocked ? change(form, key, (one) => ({ ...one, ...place })) : { ...form, ...place };
};

/** An unlocked row starts with the shared place; a locked one returns to it. */
export const withLockToggled = (form: BulkForm, key: string): BulkForm =>
  change(form, key, ({ isUnlocked, ...row }) => ({
    ...row,
    boardId: form.boardId,
    boardSectionId: form.boardSectionId,
    isUnlocked: !isUnlocked,
  }));

export const withFilledDown = (form: BulkForm, key: string, part: RowText): BulkForm => {
  const from = form.rows.findIndex((row) => row.key === key);
  const text = form.rows[from]?.[part];
  if (text === undefined) return form;
  const rows = form.rows.map((row, at) => (at > from && at < form.count ? { ...row, [part]: text } : row));
  return { ...form, rows };
};

/** Removes a row; the only row is cleared instead. */
export const withoutRow = (form: BulkForm, key: string): BulkForm => {
  const rows = form.rows.filter((row) => row.key !== key);
  return form.count > 1
    ? { ...form, rows, count: form.count - 1, leftOut: 0 }
    : { ...form, rows: [emptyRow(), ...rows], leftOut: 0 };
};

/** Restores a removed row at index `at`. */
export const withRowBack = (form: BulkForm, row: BulkRow, at: number): BulkForm => {
  const shown = shownRows(form);
  // Replaces the empty row that removing the only row left.
  const others = shown.length === 1 ? shown.filter((one) => !isEmpty(one)) : shown;
  if (others.length >= BULK_MAX) return form;
  const rows = [...others.slice(0, at), row, ...others.slice(at)];
  return { ...form, rows: [...rows, ...form.rows.slice(form.count)], count: rows.length };
};

/** Clears all boards, for a change of account. */
export const withoutBoards = (form: BulkForm): BulkForm => ({
  ...form,
  ...NO_PLACE,
  rows: form.rows.map((row) => ({ ...row, ...NO_PLACE })),
});

/** Problems of a row by field; `row`: the server's message about the whole row. */
export type RowProblems = Partial<Record<RowText | "image" | "board" | "row", string>>;

/** Progress per file. The files are sent one after the other. */
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

/** Problems by row key; empty when the form can be sent. */
export const checkRows = (form: BulkForm): Map<string, RowProblems> => {
  const problems = new Map<string, RowProblems>();
  for (const row of shownRows(form)) {
    const found: RowProblems = {
      ...(row.image ? row.image.problem && { image: row.image.problem } : { image: TEXTS.imageNeeded }),
      ...(row.title.trim() === "" && { title: TEXTS.titleNeeded }),
      ...(boardOf(form, row) === null && { board: TEXTS.boardInvalid }),
    };
    const url = urlProblem(row.url);
    if (url) found.url = url;
    if (Object.keys(found).length > 0) problems.set(row.key, found);
  }
  return problems;
};

/** How to read the value of each field. */
const PARTS = {
  title: (_, row) => row.title,
  description: (_, row) => row.description,
  url: (_, row) => row.url,
  image: (_, row) => row.image,
  board: (form, row) => Object.values(placeOf(form, row)).join(),
} as const satisfies Partial<Record<keyof RowProblems, (form: BulkForm, row: BulkRow) => unknown>>;

const PART_NAMES = ["title", "description", "url", "image", "board"] as const satisfies (keyof typeof PARTS)[];

const remainingInRow = (
  problems: RowProblems,
  isChanged: (part: keyof typeof PARTS) => boolean,
  found: RowProblems,
) => {
  const changed = PART_NAMES.filter(isChanged);
  if (changed.length === 0) return problems;
  // The server's message about the row may concern any field.
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
 * The problems of a rejected form that remain after edits: a changed field is checked again. The problems of an unchanged
 * row stay the same object.
 */
export const remainingProblems = (
  problems: ReadonlyMap<string, RowProblems>,
  rejectedForm: BulkForm,
  form: BulkForm,
): ReadonlyMap<string, RowProblems> => {
  if (problems.size === 0 || rejectedForm === form) return problems;
  const found = checkRows(form);
  const before = new Map(rejectedForm.rows.map((row) => [row.key, row]));
  const left = new Map<string, RowProblems>();
  for (const row of shownRows(form)) {
    const [old, problemsOfRow] = [before.get(row.key), problems.get(row.key)];
    if (!old || !problemsOfRow) continue;
    const isChanged = (part: keyof typeof PARTS) => PARTS[part](form, row) !== PARTS[part](rejectedForm, old);
    const inRow = remainingInRow(problemsOfRow, isChanged, found.get(row.key) ?? {});
    if (Object.keys(inRow).length > 0) left.set(row.key, inRow);
  }
  return left;
};

/** Images that the server has saved, with their SHA-256. */
export type SavedFiles = ReadonlyMap<File, string>;

/** The multipart body, without files that the server has saved. */
export const toFormData = (form: BulkForm, accountId: string, saved: SavedFiles = new Map()): FormData => {
  const rows = shownRows(form);
  const digestOf = ({ image }: BulkRow) => (image ? saved.get(image.file) : undefined);
  const texts = rows.map((row) => ({
    board_id: boardOf(form, row),
    ...(placeOf(form, row).boardSectionId && { board_section_id: placeOf(form, row).boardSectionId }),
    title: row.title.trim(),
    description: row.description.trim(),
    ...(row.url.trim() && { url: row.url.trim() }),
    ...(digestOf(row) && { image_sha256: digestOf(row) }),
  }));
  const body = new FormData();
  body.set("pinterest_account", accountId);
  body.set("number_of_pins", String(rows.length));
  for (const [index, row] of rows.entries()) {
    const { image } = row;
    body.set(`pins[${index}]`, JSON.stringify(texts[index]));
    if (image && !digestOf(row)) body.set(`pins[${index}][image]`, image.file, image.file.name);
  }
  body.set("pins", JSON.stringify(texts));
  return body;
};

/** The `message` of a rejection, or the literal fallback. */
export const failureText = (body: unknown): string => {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : null;
  return typeof message === "string" && message !== "" ? message : TEXTS.bulkFailed;
};

const textIn = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" ? first.replace(/^Pin \d+: /, "") : undefined;
};

/** The messages of a rejection about single pins, by row key. */
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

/** The files that the server saved from a rejected form; null when the response does not mention them. */
export const savedFilesIn = (body: unknown, form: BulkForm): File[] | null => {
  const saved: unknown = typeof body === "object" && body !== null && "kept" in body ? body.kept : null;
  if (!Array.isArray(saved)) return null;
  const names = new Set<unknown>(saved);
  return shownRows(form).flatMap(({ image }, index) => (image && names.has(`pins[${index}]`) ? [image.file] : []));
};

/** A try that ended without a response. */
export interface Interruption {
  /** Only this form may show the interruption. */
  form: BulkForm;
  /** False when the connection was lost. */
  isByUser: boolean;
  /** Fully sent images; null when sending had not begun. */
  sent: { complete: number; total: number } | null;
  /** The next try can skip images that the server has saved. */
  canSkip: boolean;
}

export const interruptionText = ({ isByUser, sent, canSkip }: Omit<Interruption, "form">): string => {
  const reason = isByUser ? "Stopped" : "The connection was lost";
  if (!sent) return `${reason} before anything was uploaded. Select Create again to retry.`;
  const { complete, total } = sent;
  if (complete === 0)
    return `${reason} before the first image was uploaded. Select Create again to upload all of them.`;
  if (complete === total) {
    return `${reason} after all images were uploaded, so your drafts may already have been created. Select Create again without changing anything. You won't get duplicates.`;
  }
  const next = canSkip ? "Select Create again to upload the rest." : "Select Create again to upload all of them.";
  return `${reason} after ${complete} of ${total} images. ${next}`;
};
