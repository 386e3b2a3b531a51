import { KIND_BYTES, pictureKindOf } from "#lib/core/images.ts";
import { BULK_MAX, PICTURE_BYTES_MAX, PICTURE_FAULTS, TEXTS } from "#lib/features/pins/constants.ts";
import { type BulkForm, type BulkRow, emptyForm, type RowPicture } from "./bulk-rows.ts";

interface KeptRow extends Omit<BulkRow, "picture"> {
  /** Name of its image, which is kept elsewhere. */
  pictureName: string | null;
}

/** A form as it was left, without its images. */
export interface KeptDraft {
  userId: string;
  accountId: string | null;
  boardId: string | null;
  count: number;
  rows: KeptRow[];
}

/** The form as a text that outlives the page. */
export const writeDraft = (form: BulkForm, owner: { userId: string; accountId: string | null }): string => {
  const rows = form.rows.slice(0, BULK_MAX).map(({ picture, ...row }): KeptRow => {
    return { ...row, pictureName: picture?.file.name ?? null };
  });
  const draft: KeptDraft = { ...owner, boardId: form.boardId, count: form.count, rows };
  return JSON.stringify(draft);
};

type Fields = Record<string, unknown>;

const isRecord = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);

const isRow = (value: unknown): value is KeptRow =>
  isRecord(value) &&
  [value.key, value.title, value.description, value.url].every(isText) &&
  [value.boardId, value.pictureName].every(isTextOrNull) &&
  typeof value.isUnlocked === "boolean";

const isDraft = (value: unknown): value is KeptDraft => {
  if (!isRecord(value) || !isText(value.userId) || ![value.accountId, value.boardId].every(isTextOrNull)) return false;
  const { rows, count } = value;
  if (!Array.isArray(rows) || !Number.isInteger(count) || typeof count !== "number") return false;
  return count >= 1 && count <= Math.min(rows.length, BULK_MAX) && rows.every(isRow);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
};

/** What was kept for this user; null for nothing, for another user's, and for what is none of ours. */
export const readKept = (text: string | null, userId: string): KeptDraft | null => {
  const kept = text === null ? null : parse(text);
  return isDraft(kept) && kept.userId === userId ? kept : null;
};

/** The form again, still without its images. */
export const formOf = (kept: KeptDraft): BulkForm => ({
  ...emptyForm(),
  boardId: kept.boardId,
  count: kept.count,
  rows: kept.rows.map(({ pictureName: _, ...row }) => ({ ...row, picture: null })),
});

/** Whether anything was kept that somebody would miss. */
export const isWorthKeeping = ({ rows }: BulkForm): boolean =>
  rows.some(({ title, description, url, picture }) => title || description || url || picture);

const NOTES = { gif: "If this GIF moves, its first frame is taken." } as const;

const FAULTS = {
  empty: PICTURE_FAULTS.empty,
  heic: PICTURE_FAULTS.heic,
  svg: PICTURE_FAULTS.svg,
  other: PICTURE_FAULTS.not_a_picture,
} as const;

const problemOf = async (file: File): Promise<{ problem: string | null; note: string | null }> => {
  try {
    const kind = pictureKindOf(new Uint8Array(await file.slice(0, KIND_BYTES).arrayBuffer()));
    // Size is the server's to judge; saying so beforehand spares the waiting.
    const note = file.size > PICTURE_BYTES_MAX ? TEXTS.pictureTooLarge : kind === "gif" ? NOTES.gif : null;
    return { problem: Object.hasOwn(FAULTS, kind) ? FAULTS[kind as keyof typeof FAULTS] : null, note };
  } catch (error) {
    // Moved or deleted since it was chosen.
    if (error instanceof DOMException)
      return { problem: "This file can no longer be read. Choose it again.", note: null };
    throw error;
  }
};

/** A chosen file as a row shows it. What the server would refuse anyhow is said at once. */
export const inspectFile = async (file: File): Promise<RowPicture> => ({
  file,
  preview: URL.createObjectURL(file),
  ...(await problemOf(file)),
});
