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
  PINS_AT_ONCE_MAX,
  POST_FILTERS,
  POST_SORTS,
  REVIEWS,
  TAG_MAX,
  TEXTS,
  TITLE_MAX,
  UTM_NAMES,
} from "./constants.ts";

export type * from "./wire.ts";

/** An id as it comes from outside: any short text; whether it names something of the caller is the gate's to say. */
export const opaqueId = z.string("An id is needed.").min(1, "An id is needed.").max(100, "This is not an id of ours.");

/** GET /api/users/pinterest/generated-pins/{accountId}/ (R-POST-03). */
export const listPostsInput = z.object({
  accountId: opaqueId,
  status: z.enum(POST_FILTERS, `The status is one of: ${POST_FILTERS.join(", ")}.`).default("all"),
  q: z
    .string()
    .transform(visible)
    .refine((text) => text.length <= SEARCH_MAX, `A search may have at most ${SEARCH_MAX} characters.`)
    .optional(),
  sort: z.enum(POST_SORTS, `The order is one of: ${POST_SORTS.join(", ")}.`).default("newest"),
  limit: z.coerce.number("The limit is a number.").int().min(1).max(PAGE_MAX).optional(),
  cursor: z.string().min(1).max(1_000).optional(),
  ids: z
    .string()
    .transform((text) => [...new Set(text.split(",").filter(Boolean))])
    .pipe(z.array(opaqueId).min(1, TEXTS.noPins).max(PAGE_MAX, TEXTS.tooManyIds))
    .optional(),
  counts: z
    .enum(["true", "false"], "Counts are asked for by true.")
    .default("false")
    .transform((word) => word === "true"),
});
export type ListPostsInput = z.output<typeof listPostsInput>;

export const pinIdInput = z.object({ pinId: opaqueId });
export type PinIdInput = z.output<typeof pinIdInput>;

/** Input of the action that records a choice of a review; null takes it back. */
export const recordReviewInput = z.object({ pinId: opaqueId, review: z.enum(REVIEWS).nullable() });
export type RecordReviewInput = z.output<typeof recordReviewInput>;

/** Input of the action that finds what was approved, or rejected. */
export const listReviewedInput = z.object({ accountId: opaqueId, review: z.enum(REVIEWS) });
export type ListReviewedInput = z.output<typeof listReviewedInput>;
/** Pins that something is done with together: all of them, or none. */
export const pinIdsInput = z.object({
  pinIds: z
    .array(opaqueId)
    .min(1, TEXTS.noPins)
    .max(PINS_AT_ONCE_MAX, TEXTS.tooManyPins)
    .refine((ids) => new Set(ids).size === ids.length, TEXTS.pinTwice),
});
export type PinIdsInput = z.output<typeof pinIdsInput>;

/** What a pin shows, and what was said of exactly that: all of it changes with its picture. */
export const showing = z.object({
  imageKey: z.string(),
  baseImageKey: z.string().nullable(),
  template: z.unknown(),
  placeholder: z.string().nullable(),
  likeness: z.string().nullable(),
  source: z.enum(["ai", "manual"]),
  review: z.enum(REVIEWS).nullable(),
  reviewedAt: z.coerce.date().nullable(),
});
export type Showing = z.output<typeof showing>;

export const link = z
  .string()
  .trim()
  .refine((value) => value.length <= LINK_MAX, TEXTS.linkTooLong)
  .nullable()
  .transform((value, check) => {
    if (value === null || value === "") return null;
    const address = httpUrl(value);
    if (!address) check.addIssue({ code: "custom", message: TEXTS.linkInvalid });
    else if (address.length > LINK_MAX) check.addIssue({ code: "custom", message: TEXTS.linkTooLong });
    return address;
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

/** What a person may change in a pin that is not scheduled; what is absent stays as it is. */
export const editDraftInput = z.object({
  pinId: opaqueId,
  title: title.optional(),
  description: description.optional(),
  link: link.optional(),
  boardId: boardId.optional(),
  altText: altText.optional(),
});
export type EditDraftInput = z.output<typeof editDraftInput>;

const tag = z
  .string()
  .transform(visible)
  .refine((value) => value.length <= TAG_MAX, TEXTS.tagTooLong)
  .refine((value) => !/[{}]/.test(value.replaceAll(/\{(keyword|title)\}/g, "")), TEXTS.tagPlaceholder);

/** What links are tagged with, by the names of `UTM_NAMES`; what is absent or empty is left out. */
const utmTemplate = z.partialRecord(z.enum(UTM_NAMES), tag);
export type UtmTemplate = z.output<typeof utmTemplate>;

/** What a person may change in several pins at once; what is absent stays as it is in each. */
const draftsChange = z
  .object({
    boardId: boardId.optional(),
    /** Null takes the link away. */
    link: link.optional(),
    utm: utmTemplate.optional(),
    /** Put at the end of each description. */
    descriptionSuffix: description.optional(),
  })
  .transform(({ utm, descriptionSuffix, ...change }) => ({
    ...change,
    ...(utm && Object.values(utm).some(Boolean) && { utm }),
    ...(descriptionSuffix && { descriptionSuffix }),
  }))
  .refine((change) => Object.values(change).some((value) => value !== undefined), TEXTS.noChange);
export type DraftsChange = z.output<typeof draftsChange>;

export const editDraftsInput = z.object({ ...pinIdsInput.shape, change: draftsChange });
export type EditDraftsInput = z.output<typeof editDraftsInput>;

/** What a change of several pins touches in one of them. */
export type EditedTexts = { boardId: string; link: string | null; description: string };

/** What a pin had before a change of several: what is absent had not changed. */
const earlierTexts = z.object({
  pinId: opaqueId,
  boardId: boardId.optional(),
  link: link.optional(),
  description: description.optional(),
});

/** What takes a change of several pins back, as that change answered it. */
export const undoEditsInput = z
  .object({ editedAt: z.iso.datetime(), edits: z.array(earlierTexts).min(1, TEXTS.noPins).max(PINS_AT_ONCE_MAX) })
  .refine(({ edits }) => new Set(edits.map(({ pinId }) => pinId)).size === edits.length, TEXTS.pinTwice);
export type UndoEditsInput = z.output<typeof undoEditsInput>;

export const duplicatePinsInput = z
  .object({
    ...pinIdsInput.shape,
    /** The same choice sent again under its key is answered, and not made again. */
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

/** A file that was sent with a set that was refused because of another one, and is kept for a while. */
export interface KeptFile {
  path: null;
  /** SHA-256 of the file as it was sent, hexadecimal. */
  sha256: string;
}

/** A pin that somebody made by hand, with its picture as it lies on the disk or is kept. */
export interface BulkPin extends EditedTexts {
  title: string;
  altText: string;
  picture: UploadedFile | KeptFile;
}

export interface CreateBulkInput {
  accountId: string;
  /** In the order of the rows. */
  pins: BulkPin[];
  idempotencyKey: string | null;
}

/** SHA-256 of a file as it was sent, hexadecimal. */
export const fileDigest = z.string(TEXTS.digestInvalid).regex(/^[0-9a-f]{64}$/, TEXTS.digestInvalid);

/** Of files that may be kept; at most as many as one call of R-BULK-08 may bring. */
export const findKeptInput = z.object({ digests: z.array(fileDigest).max(BULK_MAX) });
export type FindKeptInput = z.output<typeof findKeptInput>;

const uploadedFile = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });

/** What the door makes of a multipart body: its texts and its files by the names of their parts. */
export const bulkUpload = z.object({
  fields: z.record(z.string(), z.string()),
  files: z.record(z.string(), uploadedFile),
  idempotencyKey: z.string().nullable(),
});
export type BulkUpload = z.output<typeof bulkUpload>;

/** The name of the texts of the pin at that place, from 0 (R-BULK-08). */
export const partName = (index: number): string => `pins[${index}]`;
