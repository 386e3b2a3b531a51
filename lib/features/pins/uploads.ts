import "server-only";
import { and, desc, eq, like, lte, sql } from "drizzle-orm";
import { z } from "zod";
import { orphanedImages } from "#db/schema/images.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256, signText } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, toIso } from "#lib/core/time.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import type { ImageDescription } from "#lib/integrations/images/port.ts";
import {
  BULK_MAX,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_KEY,
  IMAGE_PROBLEMS,
  SAVED_UPLOADS_MAX,
  TEXTS,
} from "./constants.ts";
import { markImagesForDeletion } from "./images.ts";
import {
  altText,
  type BulkPin,
  type BulkUpload,
  boardId,
  boardSectionId,
  type CreateBulkInput,
  description,
  type FindSavedUploadsInput,
  fileDigest,
  type KeepUploadInput,
  link,
  opaqueId,
  partName,
  type SavedUpload,
  title,
} from "./schema.ts";
import { saveObject } from "./storage-outages.ts";

const bulkPin = z
  .object({
    board_id: boardId,
    board_section_id: boardSectionId.nullish(),
    title,
    description: description.nullish().transform((text) => text ?? ""),
    url: link.nullish().transform((url) => url ?? null),
    alt_text: altText.nullish().transform((text) => text ?? ""),
    // Names an image saved from an earlier rejected request.
    image_sha256: fileDigest.nullish(),
  })
  .transform(({ board_id, board_section_id, url, alt_text, image_sha256, ...texts }) => ({
    ...texts,
    savedSha256: image_sha256 ?? null,
    boardId: board_id,
    boardSectionId: board_section_id ?? null,
    link: url,
    altText: alt_text,
  }));

const imagePartName = (index: number): string => `${partName(index)}[image]`;

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** The unvalidated pins: from the parts `pins[i]`, else from the part `pins`. */
const sentPins = ({ fields }: BulkUpload): unknown[] => {
  const single = Object.keys(fields).filter((name) => /^pins\[\d+\]$/.test(name));
  if (single.length > 0) return single.map((_, index) => readJson(fields[partName(index)] ?? ""));
  const all = readJson(fields.pins ?? "");
  return Array.isArray(all) ? all : [];
};

const countProblem = (upload: BulkUpload, received: number): string | null => {
  const text = upload.fields.number_of_pins ?? "";
  const expected = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : 0;
  if (expected < 1 || expected > BULK_MAX) return `The number of pins must be a whole number from 1 to ${BULK_MAX}.`;
  if (expected !== received) return `You set the number of pins to ${expected}, but we received ${received}.`;
  const images = Object.keys(upload.files).length;
  return images > expected ? `You set the number of pins to ${expected}, but we received ${images} images.` : null;
};

const forPin = (index: number, text: string): string => `Pin ${index + 1}: ${text}`;

type Check = z.core.$RefinementCtx;

const readBulkPin = (raw: unknown, index: number, upload: BulkUpload, check: Check): BulkPin | null => {
  const file = upload.files[imagePartName(index)];
  const parsed = bulkPin.safeParse(raw ?? {});
  const sha256 = parsed.data?.savedSha256 ?? null;
  const image = file ?? (sha256 === null ? undefined : { path: null, sha256 });
  const problems = parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  if (!image) problems.push(TEXTS.imageNeeded);
  for (const problem of problems)
    check.addIssue({ code: "custom", path: [partName(index)], message: forPin(index, problem) });
  if (!parsed.success || !image) return null;
  const { savedSha256: _, ...texts } = parsed.data;
  return { ...texts, image };
};

/** Validates the multipart body of POST /api/users/pinterest/create-bulk/. */
export const readUpload = (upload: BulkUpload, check: Check): CreateBulkInput => {
  const { idempotencyKey, fields } = upload;
  const reject = (path: string, message: string) => check.addIssue({ code: "custom", path: [path], message });
  const accountId = opaqueId.safeParse(fields.pinterest_account);
  if (!accountId.success) reject("pinterest_account", TEXTS.accountNeeded);
  if (idempotencyKey !== null && !IDEMPOTENCY_KEY.test(idempotencyKey)) reject(IDEMPOTENCY_HEADER, TEXTS.keyInvalid);
  const sent = sentPins(upload);
  const problem = countProblem(upload, sent.length);
  if (problem) reject("number_of_pins", problem);
  if (problem || !accountId.success) return z.NEVER;
  const read = sent.map((raw, index) => readBulkPin(raw, index, upload, check));
  return { accountId: accountId.data, pins: read.filter((pin) => pin !== null), idempotencyKey };
};

/** A stored image that no pin uses yet. `isFirstFrame`: the file was animated, and this is its first frame. */
export interface StoredImage extends ImageDescription {
  imageKey: string;
  isFirstFrame: boolean;
}

type StoreCtx = Ctx<"images" | "storage">;

/** Random, because the key of a published pin's image is public (decision 0037). */
const newImageKey = (): string => `pins/${sha256(randomToken()).slice(0, 40)}.jpg`;

interface FileProblem {
  part: string;
  text: string;
}

/** How errors name a file of a request: its part, and the words before the text. */
export type FileName = (index: number) => { part: string; prefix: string };

const pinName: FileName = (index) => ({ part: partName(index), prefix: forPin(index, "") });

interface FilesToStore {
  files: readonly File[];
  nameOf?: FileName;
}

type File = UploadedFile | SavedUpload;

/** Reads a saved image or prepares an uploaded file. Returns a text when the file is not a usable image. */
const prepare = async (ctx: StoreCtx, file: File): Promise<{ jpeg: Uint8Array; isFirstFrame: boolean } | string> => {
  if (file.path === null) {
    for (const isFirstFrame of [false, true]) {
      const jpeg = await ctx.storage.get(savedUploadKey(ctx, file.sha256, isFirstFrame));
      if (jpeg) return { jpeg, isFirstFrame };
    }
    return TEXTS.imageGone;
  }
  const prepared = await ctx.images.prepareUpload(file.path);
  return prepared.kind === "refused" ? IMAGE_PROBLEMS[prepared.fault] : prepared;
};

const storeOne = async (ctx: StoreCtx, file: File, imageKey: string): Promise<StoredImage | string> => {
  const prepared = await prepare(ctx, file);
  if (typeof prepared === "string") return prepared;
  const { jpeg, isFirstFrame } = prepared;
  await saveObject(ctx, imageKey, jpeg);
  return { imageKey, isFirstFrame, ...(await ctx.images.describeJpeg(jpeg)) };
};

/** Stores files one by one to limit memory, and collects the problems of all of them. */
const storeEach = async (ctx: StoreCtx, { files, nameOf = pinName }: FilesToStore, keys: readonly string[]) => {
  const stored: (StoredImage & { sha256: string; part: string })[] = [];
  const problems: FileProblem[] = [];
  for (const [index, file] of files.entries()) {
    const outcome = await storeOne(ctx, file, keys[index] ?? "");
    const { part, prefix } = nameOf(index);
    if (typeof outcome === "string") problems.push({ part, text: `${prefix}${outcome}` });
    else stored.push({ ...outcome, sha256: file.sha256, part });
  }
  return { stored, problems };
};

/**
 * Each image is recorded as unused first, so that a crash leaves nothing behind; the caller removes that record.
 * @throws AppError `invalid`: `fields` has a text per bad file, `kept` names the pins whose images are saved
 */
export const storeImages = async (ctx: StoreCtx, input: FilesToStore): Promise<StoredImage[]> => {
  const keys = input.files.map(newImageKey);
  const since = ctx.now();
  await ctx.db.insert(orphanedImages).values(keys.map((key) => ({ key, since })));
  try {
    const { stored, problems } = await storeEach(ctx, input, keys);
    const [first] = problems;
    if (!first) return stored;
    const images = stored.map(({ sha256: file, imageKey, isFirstFrame }) => ({
      sha256: file,
      read: async () => {
        const jpeg = await ctx.storage.get(imageKey);
        return jpeg && { jpeg, isFirstFrame };
      },
    }));
    await saveUploads(ctx, { images });
    throw new AppError("invalid", {
      text: first.text,
      fields: Object.fromEntries(problems.map(({ part, text }) => [part, [text]])),
      more: { kept: stored.map(({ part }) => part) },
    });
  } catch (error) {
    await markImagesForDeletion(ctx, { imageKeys: keys });
    throw error;
  }
};

interface UploadToSave {
  sha256: string;
  read: () => Promise<{ jpeg: Uint8Array; isFirstFrame: boolean } | null>;
}

const recordSavedImage = async (ctx: Ctx, key: string): Promise<void> => {
  const since = addMs(ctx.now(), RETENTION_MS.savedUpload - RETENTION_MS.orphanedImage);
  await ctx.db
    .insert(orphanedImages)
    .values({ key, since })
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};

/** Deletes the oldest beyond the limit. The record goes last, and stays if the image was saved again meanwhile. */
const deleteSurplus = async (ctx: Ctx<"storage">): Promise<void> => {
  const surplus = await ctx.db
    .select()
    .from(orphanedImages)
    .where(like(orphanedImages.key, `${savedUploadFolder(ctx, requireUserId(ctx))}/%`))
    .orderBy(desc(orphanedImages.since), orphanedImages.key)
    .offset(SAVED_UPLOADS_MAX);
  for (const { key, since } of surplus) {
    await ctx.storage.delete(key);
    await ctx.db.delete(orphanedImages).where(and(eq(orphanedImages.key, key), lte(orphanedImages.since, since)));
  }
};

/** Saves images of a rejected or interrupted request for a day, so that the user need not upload them again. */
const saveUploads = async (ctx: Ctx<"storage">, { images }: { images: readonly UploadToSave[] }): Promise<void> => {
  const once = new Map(images.map(({ sha256: file, read }) => [file, read]));
  for (const [file, read] of once) {
    const image = await read();
    if (!image) continue;
    const key = savedUploadKey(ctx, file, image.isFirstFrame);
    await recordSavedImage(ctx, key);
    await saveObject(ctx, key, image.jpeg);
  }
  await deleteSurplus(ctx);
};

/**
 * Saves an image for a day, so that drafts can be made from it. @returns its id, the file's digest
 * @throws AppError `invalid` when it isn't a usable image
 */
export const keepUpload = async (
  ctx: Ctx<"images" | "storage">,
  { image }: KeepUploadInput,
): Promise<{ id: string; is_first_frame: boolean; expires_at: string }> => {
  const prepared = await ctx.images.prepareUpload(image.path);
  if (prepared.kind === "refused") {
    const text = IMAGE_PROBLEMS[prepared.fault];
    throw new AppError("invalid", { text, fields: { image: [text] } });
  }
  await saveUploads(ctx, { images: [{ sha256: image.sha256, read: async () => prepared }] });
  return {
    id: image.sha256,
    is_first_frame: prepared.isFirstFrame,
    expires_at: toIso(addMs(ctx.now(), RETENTION_MS.savedUpload)),
  };
};

/** Saves a complete file of an interrupted upload, if it is an image and for an account of the actor. */
export const saveReceivedFile = async (
  ctx: Ctx<"images" | "storage">,
  { accountId, file }: { accountId: string | undefined; file: UploadedFile },
): Promise<void> => {
  const accounts = await findOwnedAccounts(ctx);
  if (!accounts.some(({ id }) => id === accountId)) return;
  const read = async () => {
    const prepared = await ctx.images.prepareUpload(file.path);
    return prepared.kind === "refused" ? null : prepared;
  };
  await saveUploads(ctx, { images: [{ sha256: file.sha256, read }] });
};

/** Storage key of a saved image by the digest of its file. Unguessable without our secret. */
export const savedUploadKey = (ctx: Ctx, fileSha256: string, isFirstFrame: boolean): string => {
  const userId = requireUserId(ctx);
  const name = sha256(signText(ctx.settings.tokenSecret, `kept:${userId}:${fileSha256}`)).slice(0, 40);
  return `${savedUploadFolder(ctx, userId)}/${name}${isFirstFrame ? "-first" : ""}.jpg`;
};

const savedUploadFolder = (ctx: Pick<Ctx, "settings">, userId: UserId): string =>
  `kept/${sha256(signText(ctx.settings.tokenSecret, `kept:${userId}`)).slice(0, 40)}`;

/** The digests with a saved image. Checks storage too, because records are written before images. */
export const findSavedUploads = async (ctx: Ctx<"storage">, { digests }: FindSavedUploadsInput): Promise<string[]> => {
  const names = new Map(
    digests.flatMap((digest) =>
      [false, true].map((isFirstFrame) => [savedUploadKey(ctx, digest, isFirstFrame), digest]),
    ),
  );
  const records = await ctx.db
    .select({ key: orphanedImages.key })
    .from(orphanedImages)
    .where(isAnyOf(orphanedImages.key, names.keys()));
  const found = await Promise.all(
    records.map(async ({ key }) => ((await ctx.storage.has(key)) ? names.get(key) : undefined)),
  );
  return digests.filter((digest) => found.includes(digest));
};

export const markSavedUploadsForDeletion = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  await ctx.db
    .update(orphanedImages)
    .set({ since: addMs(ctx.now(), -RETENTION_MS.orphanedImage), erasedUserId: userId })
    .where(like(orphanedImages.key, `${savedUploadFolder(ctx, userId)}/%`));
};
