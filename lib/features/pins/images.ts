import "server-only";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { and, eq, sql } from "drizzle-orm";
import { pinSlides } from "#db/schema/formats.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { signedSecondsLeft } from "./image-urls.ts";
import { thumbnailOf } from "./policy.ts";
import type { Pin } from "./queries.ts";
import { type ImageRequest, type ImageState, imageState } from "./schema.ts";

/** Replaces the image of a locked pin; the old one stays for a retention period. @returns the previous image state */
export const replaceImage = async (tx: Ctx, { pin, next }: { pin: Pin; next: ImageState }): Promise<ImageState> => {
  const before = imageState.parse(pin);
  const stillUsed = [next.imageKey, next.baseImageKey];
  for (const imageKey of [before.imageKey, before.baseImageKey]) {
    if (imageKey !== null && !stillUsed.includes(imageKey)) await orphanImage(tx, { imageKey });
  }
  await tx.db
    .update(pins)
    .set({ ...next, updatedAt: tx.now() })
    .where(eq(pins.id, pin.id));
  return before;
};

interface ServedImage {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: "image/jpeg" | "image/png" | "image/webp";
  caching: string;
  /** The key, since it is never reused for other bytes. */
  etag: string;
}

/** Images end in `.jpg` and logos in `.png`; folder names have no dot, so no key can name a folder. */
const IMAGE = /^([a-z0-9][a-z0-9_-]{0,60}\/){1,3}[a-z0-9][a-z0-9_-]{0,80}\.(jpg|png)$/;

const readThumbnail = async (
  ctx: Ctx<"images" | "storage">,
  key: string,
  { imageKey, widthPx }: { imageKey: string; widthPx: number },
): Promise<Uint8Array<ArrayBuffer> | null> => {
  const stored = await ctx.storage.get(key);
  if (stored) return stored;
  const image = await ctx.storage.get(imageKey);
  if (!image) return null;
  const small = new Uint8Array(await ctx.images.shrink(image, widthPx));
  await ctx.storage.put(key, small);
  return small;
};

/** Of an image on Pinterest: how long a shared cache may keep it after it was deleted here. */
const PUBLIC_SECONDS = 3_600;

const isPublished = async (ctx: Ctx, imageKey: string): Promise<boolean> => {
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(eq(pins.imageKey, imageKey), eq(pins.status, "published")))
    .limit(1);
  if (rows.length > 0) return true;
  const slides = await ctx.db
    .select({ id: pins.id })
    .from(pinSlides)
    .innerJoin(pins, eq(pins.id, pinSlides.pinId))
    .where(and(eq(pinSlides.imageKey, imageKey), eq(pins.status, "published")))
    .limit(1);
  return slides.length > 0;
};

/** Without a signature, only what is on Pinterest. */
const cachingOf = async (ctx: Ctx, imageKey: string, signed: ImageRequest["signed"]): Promise<string | null> => {
  if (!signed) return (await isPublished(ctx, imageKey)) ? `public, max-age=${PUBLIC_SECONDS}` : null;
  const seconds = signedSecondsLeft(ctx, { key: imageKey, ...signed });
  return seconds > 0 ? `private, max-age=${seconds}, immutable` : null;
};

/** Reads an image or thumbnail (decision 0037). @throws AppError `not_found`, also for an expired signature */
export const readImage = async (
  ctx: Ctx<"images" | "storage">,
  { key, signed }: ImageRequest,
): Promise<ServedImage> => {
  const thumbnail = thumbnailOf(key);
  const imageKey = thumbnail?.imageKey ?? key;
  const caching = IMAGE.test(imageKey) ? await cachingOf(ctx, imageKey, signed) : null;
  if (!caching) throw new AppError("not_found");
  const read = () => (thumbnail ? readThumbnail(ctx, key, thumbnail) : ctx.storage.get(imageKey));
  const bytes = await read();
  if (!bytes) throw new AppError("not_found");
  const stored = imageKey.endsWith(".png") ? ("image/png" as const) : ("image/jpeg" as const);
  return { bytes, contentType: thumbnail ? "image/webp" : stored, caching, etag: `"${key}"` };
};

/** Records that a pin no longer uses an image, and restarts its retention period. Runs in a transaction. */
export const orphanImage = async (tx: Ctx, { imageKey }: { imageKey: string }): Promise<void> => {
  await tx.db
    .insert(orphanedImages)
    .values({ key: imageKey, since: tx.now() })
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};

/** `erasedUserId`: of a deleted user, whose erasure waits until these images are gone. */
interface ImagesToDelete {
  imageKeys: readonly string[];
  erasedUserId?: UserId;
}

/** Marks images for deletion from storage without a retention period. Runs in a transaction. */
export const markImagesForDeletion = async (tx: Ctx, { imageKeys, erasedUserId }: ImagesToDelete): Promise<void> => {
  if (imageKeys.length === 0) return;
  const since = addMs(tx.now(), -RETENTION_MS.orphanedImage);
  await tx.db
    .insert(orphanedImages)
    .values([...new Set(imageKeys)].toSorted().map((key) => ({ key, since, erasedUserId: erasedUserId ?? null })))
    .onConflictDoUpdate({
      target: orphanedImages.key,
      set: {
        since: sql`excluded.since`,
        erasedUserId: sql`coalesce(excluded.erased_user_id, ${orphanedImages.erasedUserId})`,
      },
    });
};

/** Gives `work` a path to write an image to, in a folder that is deleted afterward. */
export const withImageFile = async <R>(work: (path: string) => Promise<R>): Promise<R> => {
  const folder = await mkdtemp(join(tmpdir(), "image-"));
  try {
    return await work(join(folder, "image"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
