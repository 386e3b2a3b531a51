import { z } from "zod";
import type { UploadedFile } from "#lib/core/images.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { SEARCH_MAX, visible } from "#lib/core/text.ts";
import {
  ALT_TEXT_MAX,
  BULK_MAX,
  COPIES_MAX,
  DESCRIPTION_MAX,
  LINK_MAX,
  PAGE_MAX,
  PIN_FILTERS,
  PIN_SORTS,
  PINS_AT_ONCE_MAX,
  REVIEWS,
  SIGNED_IMAGE_FOLDER,
  TAG_MAX,
  TEXTS,
  TITLE_MAX,
  UTM_NAMES,
} from "./constants.ts";

export type * from "./wire.ts";

/** The path after `/api/images/`: a key, or `signed/<expires>/<signature>/<key>`. */
export const imageRequest = z.object({ key: z.array(z.string()) }).transform(({ key: parts }) => {
  const [folder, expires = "", signature = "", ...key] = parts;
  if (folder !== SIGNED_IMAGE_FOLDER) return { key: parts.join("/"), signed: null };
  return { key: key.join("/"), signed: { expires: /^\d{1,12}$/.test(expires) ? Number(expires) : 0, signature } };
});
export type ImageRequest = z.output<typeof imageRequest>;

/** An ISO 8601 time with an offset, as a Date. Aborts, since later rules would get the text of a malformed one. */
export const dateTime = (error: string) =>
  z.iso.datetime({ offset: true, error, abort: true }).transform((at) => new Date(at));

/** An untrusted id: any short text. Queries decide whether it belongs to the caller. */
export const opaqueId = z.string("An ID is required.").min(1, "An ID is required.").max(100, "This ID isn't valid.");

/** GET /api/users/pinterest/generated-pins/{accountId}/ */
export const listPinsInput = z.object({
  accountId: opaqueId,
  status: z.enum(PIN_FILTERS, TEXTS.statusInvalid).default("all"),
  q: z
    .string()
    .transform(visible)
    .refine((text) => text.length <= SEARCH_MAX, `Searches can have up to ${SEARCH_MAX} characters.`)
    .optional(),
  sort: z.enum(PIN_SORTS, TEXTS.sortInvalid).default("newest"),
  limit: z.coerce.number("The limit must be a number.").int().min(1).max(PAGE_MAX).optional(),
  cursor: z.string().min(1).max(1_000).optional(),
  ids: z
    .string()
    .transform((text) => [...new Set(text.split(",").filter(Boolean))])
    .pipe(z.array(opaqueId).min(1, TEXTS.noPins).max(PAGE_MAX, TEXTS.tooManyIds))
    .optional(),
  counts: z
    .enum(["true", "false"], "counts must be true or false.")
    .default("false")
    .transform((word) => word === "true"),
});
export type ListPinsInput = z.output<typeof listPinsInput>;

export const pinIdInput = z.object({ pinId: opaqueId });
export type PinIdInput = z.output<typeof pinIdInput>;

export const recordReviewInput = z.object({ pinId: opaqueId, review: z.enum(REVIEWS).nullable() });
export type RecordReviewInput = z.output<typeof recordReviewInput>;

export const listReviewedInput = z.object({ accountId: opaqueId, review: z.enum(REVIEWS) });
export type ListReviewedInput = z.output<typeof listReviewedInput>;

export const pinIdsInput = z.object({
  pinIds: z
    .array(opaqueId)
    .min(1, TEXTS.noPins)
    .max(PINS_AT_ONCE_MAX, TEXTS.tooManyPins)
    .refine((ids) => new Set(ids).size === ids.length, TEXTS.pinTwice),
});
export type PinIdsInput = z.output<typeof pinIdsInput>;

export const imageState = z.object({
  imageKey: z.string(),
  baseImageKey: z.string().nullable(),
  template: z.unknown(),
  placeholder: z.string().nullable(),
  likeness: z.string().nullable(),
  source: z.enum(["ai", "manual"]),
  review: z.enum(REVIEWS).nullable(),
  reviewedAt: z.coerce.date().nullable(),
});
export type ImageState = z.output<typeof imageState>;

export const link = z
  .string()
  .trim()
  .refine((value) => value.length <= LINK_MAX, TEXTS.linkTooLong)
  .nullable()
  .transform((value, check) => {
    if (value === null || value === "") return null;
    const url = httpUrl(value);
    if (!url) check.addIssue({ code: "custom", message: TEXTS.linkInvalid });
    else if (url.length > LINK_MAX) check.addIssue({ code: "custom", message: TEXTS.linkTooLong });
    return url;
  });

export const title = z
  .string(TEXTS.titleNeeded)
  .transform((value) => visible(value).replace(/\s*\n\s*/g, " "))
  .refine((value) => value.length > 0, TEXTS.titleNeeded)
  .refine((value) => value.length <= TITLE_MAX, TEXTS.titleTooLong);

export const description = z
  .string(TEXTS.descriptionInvalid)
  .transform(visible)
  .refine((value) => value.length <= DESCRIPTION_MAX, TEXTS.descriptionTooLong);

export const altText = z
  .string(TEXTS.altTextInvalid)
  .transform(visible)
  .refine((value) => value.length <= ALT_TEXT_MAX, TEXTS.altTextTooLong);

export const boardId = z.string(TEXTS.boardInvalid).refine((value) => /^\d{1,30}$/.test(value), TEXTS.boardInvalid);

export const boardSectionId = z
  .string(TEXTS.sectionInvalid)
  .refine((value) => /^\d{1,30}$/.test(value), TEXTS.sectionInvalid);

/** A section is named with its board; a board alone means outside of its sections. */
const placeChange = { boardId: boardId.optional(), boardSectionId: boardSectionId.nullable().optional() };
export type PlaceChange = { boardId?: string | undefined; boardSectionId?: string | null | undefined };

const hasBoard = (change: PlaceChange): boolean => change.boardId !== undefined || !change.boardSectionId;

/** Absent fields stay unchanged. */
export const editDraftInput = z
  .object({
    pinId: opaqueId,
    title: title.optional(),
    description: description.optional(),
    link: link.optional(),
    altText: altText.optional(),
    ...placeChange,
  })
  .refine(hasBoard, TEXTS.sectionNeedsBoard);
export type EditDraftInput = z.output<typeof editDraftInput>;

const tag = z
  .string()
  .transform(visible)
  .refine((value) => value.length <= TAG_MAX, TEXTS.tagTooLong)
  .refine((value) => !/[{}]/.test(value.replaceAll(/\{(keyword|title)\}/g, "")), TEXTS.tagPlaceholder);

/** Values by UTM parameter; absent or empty ones are not added. */
const utmTemplate = z.partialRecord(z.enum(UTM_NAMES), tag);
export type UtmTemplate = z.output<typeof utmTemplate>;

const draftsChange = z
  .object({
    ...placeChange,
    link: link.optional(),
    utm: utmTemplate.optional(),
    descriptionSuffix: description.optional(),
    altText: altText.optional(),
  })
  .refine(hasBoard, TEXTS.sectionNeedsBoard)
  .transform(({ utm, descriptionSuffix, ...change }) => ({
    ...change,
    ...(utm && Object.values(utm).some(Boolean) && { utm }),
    ...(descriptionSuffix && { descriptionSuffix }),
  }))
  .refine((change) => Object.values(change).some((value) => value !== undefined), TEXTS.noChange);
export type DraftsChange = z.output<typeof draftsChange>;

export const editDraftsInput = z.object({ ...pinIdsInput.shape, change: draftsChange });
export type EditDraftsInput = z.output<typeof editDraftsInput>;

export interface Place {
  boardId: string;
  boardSectionId: string | null;
}

export type EditableFields = Place & { link: string | null; description: string; altText: string };

/** Values before a change of several pins; absent fields had not changed. */
const previousFields = z.object({
  pinId: opaqueId,
  ...placeChange,
  link: link.optional(),
  description: description.optional(),
  altText: altText.optional(),
});

export const undoEditsInput = z
  .object({ editedAt: z.iso.datetime(), edits: z.array(previousFields).min(1, TEXTS.noPins).max(PINS_AT_ONCE_MAX) })
  .refine(({ edits }) => new Set(edits.map(({ pinId }) => pinId)).size === edits.length, TEXTS.pinTwice);
export type UndoEditsInput = z.output<typeof undoEditsInput>;

export const duplicatePinsInput = z
  .object({
    ...pinIdsInput.shape,
    /** A repeated request with the same key returns the same copies. */
    idempotencyKey: z
      .string(TEXTS.keyInvalid)
      .regex(/^[!-~]{1,100}$/, TEXTS.keyInvalid)
      .optional(),
    boardIds: z
      .array(boardId)
      .min(1, TEXTS.noBoards)
      .refine((ids) => new Set(ids).size === ids.length, TEXTS.boardTwice),
  })
  .refine(({ pinIds, boardIds }) => pinIds.length * boardIds.length <= COPIES_MAX, TEXTS.tooManyCopies);
export type DuplicatePinsInput = z.output<typeof duplicatePinsInput>;

export interface SavedUpload {
  path: null;
  sha256: string;
}

export interface BulkPin extends EditableFields {
  title: string;
  altText: string;
  image: UploadedFile | SavedUpload;
}

export interface CreateBulkInput {
  accountId: string;
  pins: BulkPin[];
  idempotencyKey: string | null;
}

/** SHA-256 of an uploaded file, hexadecimal. */
export const fileDigest = z.string(TEXTS.digestInvalid).regex(/^[0-9a-f]{64}$/, TEXTS.digestInvalid);

export const findSavedUploadsInput = z.object({ digests: z.array(fileDigest).max(BULK_MAX) });
export type FindSavedUploadsInput = z.output<typeof findSavedUploadsInput>;

const uploadedFile = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });
const isUploadedFile = (value: unknown): boolean => uploadedFile.safeParse(value).success;

export const keepUploadInput = z.strictObject({ image: z.custom<UploadedFile>(isUploadedFile, TEXTS.imageNeeded) });
export type KeepUploadInput = z.output<typeof keepUploadInput>;

export const bulkUpload = z.object({
  fields: z.record(z.string(), z.string()),
  files: z.record(z.string(), uploadedFile),
  idempotencyKey: z.string().nullable(),
});
export type BulkUpload = z.output<typeof bulkUpload>;

/** Part name of a pin, from index 0 (R-BULK-08). */
export const partName = (index: number): string => `pins[${index}]`;
