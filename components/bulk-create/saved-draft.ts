import { imageKindOf, KIND_BYTES } from "#lib/core/images.ts";
import { BULK_MAX, IMAGE_BYTES_MAX, IMAGE_PROBLEMS, TEXTS } from "#lib/features/pins/constants.ts";
import { type BulkForm, type BulkRow, emptyForm, type RowImage } from "./bulk-rows.ts";

interface SavedRow extends Omit<BulkRow, "image" | "boardSectionId"> {
  boardSectionId?: string | null;
  /** The image itself is stored separately. Browsers hold drafts under this name, so it stays. */
  pictureName: string | null;
}

export interface SavedDraft {
  userId: string;
  accountId: string | null;
  boardId: string | null;
  /** Missing in drafts from before there were sections. */
  boardSectionId?: string | null;
  count: number;
  rows: SavedRow[];
}

export const serializeDraft = (form: BulkForm, owner: { userId: string; accountId: string | null }): string => {
  const rows = form.rows.slice(0, BULK_MAX).map(({ image, ...row }): SavedRow => {
    return { ...row, pictureName: image?.file.name ?? null };
  });
  const draft: SavedDraft = {
    ...owner,
    boardId: form.boardId,
    boardSectionId: form.boardSectionId,
    count: form.count,
    rows,
  };
  return JSON.stringify(draft);
};

type Fields = Record<string, unknown>;

const isRecord = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);

const isRow = (value: unknown): value is SavedRow =>
  isRecord(value) &&
  [value.key, value.title, value.description, value.url].every(isText) &&
  [value.boardId, value.boardSectionId ?? null, value.pictureName].every(isTextOrNull) &&
  typeof value.isUnlocked === "boolean";

const isDraft = (value: unknown): value is SavedDraft => {
  if (
    !isRecord(value) ||
    !isText(value.userId) ||
    ![value.accountId, value.boardId, value.boardSectionId ?? null].every(isTextOrNull)
  )
    return false;
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

/** Null for a missing or malformed draft, or another user's. */
export const parseDraft = (text: string | null, userId: string): SavedDraft | null => {
  const saved = text === null ? null : parse(text);
  return isDraft(saved) && saved.userId === userId ? saved : null;
};

/** The form without its images. */
export const toForm = (saved: SavedDraft): BulkForm => ({
  ...emptyForm(),
  boardId: saved.boardId,
  boardSectionId: saved.boardSectionId ?? null,
  count: saved.count,
  rows: saved.rows.map(({ pictureName: _, boardSectionId = null, ...row }) => ({
    ...row,
    boardSectionId,
    image: null,
  })),
});

export const hasContent = ({ rows }: BulkForm): boolean =>
  rows.some(({ title, description, url, image }) => title || description || url || image);

const NOTES = { gif: "If this GIF is animated, we'll use its first frame." } as const;

const FAULTS = {
  empty: IMAGE_PROBLEMS.empty,
  heic: IMAGE_PROBLEMS.heic,
  svg: IMAGE_PROBLEMS.svg,
  other: IMAGE_PROBLEMS.not_an_image,
} as const;

const problemOf = async (file: File): Promise<{ problem: string | null; note: string | null }> => {
  try {
    const kind = imageKindOf(new Uint8Array(await file.slice(0, KIND_BYTES).arrayBuffer()));
    // The server enforces the size; the early note saves waiting.
    const note = file.size > IMAGE_BYTES_MAX ? TEXTS.imageTooLarge : kind === "gif" ? NOTES.gif : null;
    return { problem: Object.hasOwn(FAULTS, kind) ? FAULTS[kind as keyof typeof FAULTS] : null, note };
  } catch (error) {
    // Moved or deleted since it was chosen.
    if (error instanceof DOMException)
      return { problem: "This file can't be read anymore. Choose it again.", note: null };
    throw error;
  }
};

/** Creates a preview, and finds problems that the server would reject. */
export const inspectFile = async (file: File): Promise<RowImage> => ({
  file,
  preview: URL.createObjectURL(file),
  ...(await problemOf(file)),
});
