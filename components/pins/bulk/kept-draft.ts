import { type BulkForm, type BulkRow, emptyForm } from "#components/pins/bulk/bulk-rows.ts";
import { BULK_MAX } from "#lib/features/pins/constants.ts";

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
