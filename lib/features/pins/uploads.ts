import "server-only";
import { and, desc, eq, inArray, like, lte, sql } from "drizzle-orm";
import { z } from "zod";
import { orphanedImages } from "#db/schema/images.ts";
import type { Ctx } from "#lib/context.ts";
import { randomToken, sha256, signText } from "#lib/core/crypto.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import type { PictureDescription } from "#lib/integrations/images/port.ts";
import { BULK_MAX, IDEMPOTENCY_HEADER, KEPT_MAX, PICTURE_FAULTS, TEXTS } from "./constants.ts";
import { condemnImages } from "./images.ts";
import {
  altText,
  type BulkPin,
  type BulkUpload,
  boardId,
  type CreateBulkInput,
  description,
  type FindKeptInput,
  fileDigest,
  type KeptFile,
  link,
  opaqueId,
  partName,
  title,
} from "./schema.ts";

/** R-ENT-07 without its image, and what a pin may have besides. */
const bulkPin = z
  .object({
    board_id: boardId,
    title,
    description: description.nullish().transform((text) => text ?? ""),
    url: link.nullish().transform((address) => address ?? null),
    alt_text: altText.nullish().transform((text) => text ?? ""),
    // Of an image that an earlier, refused set brought: it need not be sent again.
    image_sha256: fileDigest.nullish(),
  })
  .transform(({ board_id, url, alt_text, image_sha256, ...texts }) => ({
    ...texts,
    keptSha256: image_sha256 ?? null,
    boardId: board_id,
    link: url,
    altText: alt_text,
  }));

/** Where the image of the pin at that place (from 0) comes (R-BULK-08). */
const imagePartName = (index: number): string => `${partName(index)}[image]`;

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** The pins as they were sent: `pins[i]` one by one, else all in `pins` (A-18). */
const sentPins = ({ fields }: BulkUpload): unknown[] => {
  const single = Object.keys(fields).filter((name) => /^pins\[\d+\]$/.test(name));
  if (single.length > 0) return single.map((_, index) => readJson(fields[partName(index)] ?? ""));
  const all = readJson(fields.pins ?? "");
  return Array.isArray(all) ? all : [];
};

const countFault = (upload: BulkUpload, sent: number): string | null => {
  const text = upload.fields.number_of_pins ?? "";
  const asked = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : 0;
  if (asked < 1 || asked > BULK_MAX) return `The number of pins is a whole number from 1 to ${BULK_MAX}.`;
  if (asked !== sent) return `The number of pins is ${asked}, but ${sent} came.`;
  const images = Object.keys(upload.files).length;
  return images > asked ? `The number of pins is ${asked}, but ${images} images came.` : null;
};

/** Sentences about one pin name it as the screen does: from 1. */
const ofPin = (index: number, text: string): string => `Pin ${index + 1}: ${text}`;

type Check = z.core.$RefinementCtx;

const readPin = (raw: unknown, index: number, upload: BulkUpload, check: Check): BulkPin | null => {
  const file = upload.files[imagePartName(index)];
  const parsed = bulkPin.safeParse(raw ?? {});
  const sha256 = parsed.data?.keptSha256 ?? null;
  const picture = file ?? (sha256 === null ? undefined : { path: null, sha256 });
  const faults = parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
  if (!picture) faults.push(TEXTS.pictureNeeded);
  for (const fault of faults) check.addIssue({ code: "custom", path: [partName(index)], message: ofPin(index, fault) });
  if (!parsed.success || !picture) return null;
  const { keptSha256: _, ...texts } = parsed.data;
  return { ...texts, picture };
};

/** POST /api/users/pinterest/create-bulk/ (R-BULK-01 to R-BULK-08, A-18): the pins of a multipart body. */
export const readUpload = (upload: BulkUpload, check: Check): CreateBulkInput => {
  const { idempotencyKey, fields } = upload;
  const say = (path: string, message: string) => check.addIssue({ code: "custom", path: [path], message });
  const accountId = opaqueId.safeParse(fields.pinterest_account);
  if (!accountId.success) say("pinterest_account", TEXTS.accountNeeded);
  if (idempotencyKey !== null && !/^[!-~]{1,100}$/.test(idempotencyKey)) say(IDEMPOTENCY_HEADER, TEXTS.keyInvalid);
  const sent = sentPins(upload);
  const fault = countFault(upload, sent.length);
  if (fault) say("number_of_pins", fault);
  if (fault || !accountId.success) return z.NEVER;
  const read = sent.map((raw, index) => readPin(raw, index, upload, check));
  return { accountId: accountId.data, pins: read.filter((pin) => pin !== null), idempotencyKey };
};

/**
 * A picture in the storage that no pin has yet, and how it looks. `isFirstFrame`: the file moved, and this is how it
 * began.
 */
export interface StoredPicture extends PictureDescription {
  imageKey: string;
  isFirstFrame: boolean;
}

type StoreCtx = Ctx<"pictures" | "storage">;

/** A place that nobody can guess: whoever knows it may see the picture (decision 0004). */
const newImageKey = (): string => `pins/${sha256(randomToken()).slice(0, 40)}.jpg`;

/** What was found wrong with a file, in a sentence that names its pin as the screen does: from 1. */
interface Fault {
  part: string;
  text: string;
}

type File = UploadedFile | KeptFile;

/** A picture that an earlier, refused set left, or one from the file on the disk; a text: why it is none. */
const prepare = async (ctx: StoreCtx, file: File): Promise<{ jpeg: Uint8Array; isFirstFrame: boolean } | string> => {
  if (file.path === null) {
    for (const isFirstFrame of [false, true]) {
      const jpeg = await ctx.storage.get(nameKept(ctx, file.sha256, isFirstFrame));
      if (jpeg) return { jpeg, isFirstFrame };
    }
    return TEXTS.pictureGone;
  }
  const prepared = await ctx.pictures.prepareUpload(file.path);
  return prepared.kind === "refused" ? PICTURE_FAULTS[prepared.fault] : prepared;
};

const storeOne = async (ctx: StoreCtx, file: File, imageKey: string): Promise<StoredPicture | string> => {
  const prepared = await prepare(ctx, file);
  if (typeof prepared === "string") return prepared;
  const { jpeg, isFirstFrame } = prepared;
  await ctx.storage.put(imageKey, jpeg);
  return { imageKey, isFirstFrame, ...(await ctx.pictures.describePicture(jpeg)) };
};

/** All files, one after the other: what is wrong with any of them is told at once. */
const storeEach = async (ctx: StoreCtx, files: readonly File[], keys: readonly string[]) => {
  const stored: (StoredPicture & { sha256: string; part: string })[] = [];
  const faults: Fault[] = [];
  for (const [index, file] of files.entries()) {
    const outcome = await storeOne(ctx, file, keys[index] ?? "");
    const part = partName(index);
    if (typeof outcome === "string") faults.push({ part, text: `Pin ${index + 1}: ${outcome}` });
    else stored.push({ ...outcome, sha256: file.sha256, part });
  }
  return { stored, faults };
};

/**
 * Prepares files that somebody sent and stores them, one after the other. Each is noted as an orphan before it is
 * stored; whoever gives it to a pin takes the note away. A file that was sent before with a set that was refused
 * because of others need not be sent again: its picture was kept.
 * @throws AppError `invalid` with a sentence about the first file that is no picture, one about each such file in
 * `fields`, and in `kept` the pins whose pictures are kept; what was stored for this set goes soon.
 */
export const storePictures = async (ctx: StoreCtx, { files }: { files: readonly File[] }): Promise<StoredPicture[]> => {
  const keys = files.map(newImageKey);
  const since = ctx.now();
  await ctx.db.insert(orphanedImages).values(keys.map((key) => ({ key, since })));
  try {
    const { stored, faults } = await storeEach(ctx, files, keys);
    const [first] = faults;
    if (!first) return stored;
    const pictures = stored.map(({ sha256: file, imageKey, isFirstFrame }) => ({
      sha256: file,
      read: async () => {
        const jpeg = await ctx.storage.get(imageKey);
        return jpeg && { jpeg, isFirstFrame };
      },
    }));
    await keepPictures(ctx, { pictures });
    throw new AppError("invalid", {
      text: first.text,
      fields: Object.fromEntries(faults.map(({ part, text }) => [part, [text]])),
      more: { kept: stored.map(({ part }) => part) },
    });
  } catch (error) {
    await condemnImages(ctx, { imageKeys: keys });
    throw error;
  }
};

/** A file by its digest, and how its prepared picture is read when its turn comes; null when it has none. */
interface Keepable {
  sha256: string;
  read: () => Promise<{ jpeg: Uint8Array; isFirstFrame: boolean } | null>;
}

/** Notes a picture as an orphan that goes earlier than others. */
const note = async (ctx: Ctx, key: string): Promise<void> => {
  const since = addMs(ctx.now(), RETENTION_MS.keptImage - RETENTION_MS.orphanedImage);
  await ctx.db
    .insert(orphanedImages)
    .values({ key, since })
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};

/** Deletes the oldest of too many. The note goes last, and stays when the picture was kept again meanwhile. */
const dropSurplus = async (ctx: Ctx<"storage">): Promise<void> => {
  const surplus = await ctx.db
    .select()
    .from(orphanedImages)
    .where(like(orphanedImages.key, `${nameKeptFolder(ctx, requireUserId(ctx))}/%`))
    .orderBy(desc(orphanedImages.since), orphanedImages.key)
    .offset(KEPT_MAX);
  for (const { key, since } of surplus) {
    await ctx.storage.delete(key);
    await ctx.db.delete(orphanedImages).where(and(eq(orphanedImages.key, key), lte(orphanedImages.since, since)));
  }
};

/**
 * Keeps prepared pictures of a set that came to nothing, so that they need not be sent again: the actor's last
 * `KEPT_MAX`, for a day. Orphans from the beginning: they go with the others (DESIGN §5.6).
 */
const keepPictures = async (ctx: Ctx<"storage">, { pictures }: { pictures: readonly Keepable[] }): Promise<void> => {
  const once = new Map(pictures.map(({ sha256: file, read }) => [file, read]));
  for (const [file, read] of once) {
    const picture = await read();
    if (!picture) continue;
    const key = nameKept(ctx, file, picture.isFirstFrame);
    await note(ctx, key);
    await ctx.storage.put(key, picture.jpeg);
  }
  await dropSurplus(ctx);
};

/**
 * Keeps the picture of a file that came whole before its upload broke off, for its sender alone: the next try need not
 * bring it again (R-BULK-08). What is no picture is left out, and told when it is sent again; so is what was meant for
 * an account that is not the actor's, or that had not been named yet.
 */
export const keepArrived = async (
  ctx: Ctx<"pictures" | "storage">,
  { accountId, file }: { accountId: string | undefined; file: UploadedFile },
): Promise<void> => {
  const accounts = await findOwnedAccounts(ctx);
  if (!accounts.some(({ id }) => id === accountId)) return;
  const read = async () => {
    const prepared = await ctx.pictures.prepareUpload(file.path);
    return prepared.kind === "refused" ? null : prepared;
  };
  await keepPictures(ctx, { pictures: [{ sha256: file.sha256, read }] });
};

/**
 * Where the actor's refused set leaves the picture of a file, by the file's digest: one that nobody can guess without
 * our secret. The name says whether the file moved, and this is how it began.
 */
export const nameKept = (ctx: Ctx, fileSha256: string, isFirstFrame: boolean): string => {
  const userId = requireUserId(ctx);
  const name = sha256(signText(ctx.settings.tokenSecret, `kept:${userId}:${fileSha256}`)).slice(0, 40);
  return `${nameKeptFolder(ctx, userId)}/${name}${isFirstFrame ? "-first" : ""}.jpg`;
};

/** Where all kept pictures of a user lie, and nobody else's. */
const nameKeptFolder = (ctx: Pick<Ctx, "settings">, userId: UserId): string =>
  `kept/${sha256(signText(ctx.settings.tokenSecret, `kept:${userId}`)).slice(0, 40)}`;

/**
 * Which of these files of the actor's need not be sent again, by their digests: their pictures are kept (R-BULK-08).
 * A row is there before its picture: only what the storage has counts.
 */
export const findKept = async (ctx: Ctx<"storage">, { digests }: FindKeptInput): Promise<string[]> => {
  const names = new Map(
    digests.flatMap((digest) => [false, true].map((isFirstFrame) => [nameKept(ctx, digest, isFirstFrame), digest])),
  );
  const noted = await ctx.db
    .select({ key: orphanedImages.key })
    .from(orphanedImages)
    .where(inArray(orphanedImages.key, [...names.keys()]));
  const found = await Promise.all(
    noted.map(async ({ key }) => ((await ctx.storage.has(key)) ? names.get(key) : undefined)),
  );
  return digests.filter((digest) => found.includes(digest));
};

/** Has all kept pictures of a user's broken uploads go from the storage at once, not with the day they are kept for. */
export const condemnKept = async (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> => {
  await ctx.db
    .update(orphanedImages)
    .set({ since: addMs(ctx.now(), -RETENTION_MS.orphanedImage) })
    .where(like(orphanedImages.key, `${nameKeptFolder(ctx, userId)}/%`));
};
