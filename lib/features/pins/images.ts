import "server-only";
import { eq, sql } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { thumbnailOf } from "./policy.ts";
import type { Pin } from "./queries.ts";
import { type Showing, showing } from "./schema.ts";

/**
 * Gives a pin that the caller has locked another picture, and notes that it lost the old one, which stays for a while.
 * @returns what it showed before.
 */
export const replacePicture = async (tx: Ctx, { pin, next }: { pin: Pin; next: Showing }): Promise<Showing> => {
  const before = showing.parse(pin);
  const kept = [next.imageKey, next.baseImageKey];
  for (const imageKey of [before.imageKey, before.baseImageKey]) {
    if (imageKey !== null && !kept.includes(imageKey)) await orphanImage(tx, { imageKey });
  }
  await tx.db
    .update(pins)
    .set({ ...next, updatedAt: tx.now() })
    .where(eq(pins.id, pin.id));
  return before;
};

/** A stored picture as it is served. */
interface ServedPicture {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: "image/jpeg" | "image/png" | "image/webp";
}

/** Folders have no dot, pictures end in `.jpg` and logos in `.png`, so that no key asks for a folder, or for something below a picture. */
const PICTURE = /^([a-z0-9][a-z0-9_-]{0,60}\/){1,3}[a-z0-9][a-z0-9_-]{0,80}\.(jpg|png)$/;

/** Made when it is first asked for, then kept beside the picture that it shows in small. */
const readThumbnail = async (
  ctx: Ctx<"pictures" | "storage">,
  key: string,
  { imageKey, widthPx }: { imageKey: string; widthPx: number },
): Promise<Uint8Array<ArrayBuffer> | null> => {
  const kept = await ctx.storage.get(key);
  if (kept) return kept;
  const picture = await ctx.storage.get(imageKey);
  if (!picture) return null;
  const small = new Uint8Array(await ctx.pictures.shrink(picture, widthPx));
  await ctx.storage.put(key, small);
  return small;
};

/**
 * A stored picture, or one of its thumbnails. Who knows its key may see it (decision 0004).
 * @throws AppError `not_found`
 */
export const readPicture = async (
  ctx: Ctx<"pictures" | "storage">,
  { key }: { key: string },
): Promise<ServedPicture> => {
  const thumbnail = thumbnailOf(key);
  const imageKey = thumbnail?.imageKey ?? key;
  const read = () => (thumbnail ? readThumbnail(ctx, key, thumbnail) : ctx.storage.get(imageKey));
  const bytes = PICTURE.test(imageKey) ? await read() : null;
  if (!bytes) throw new AppError("not_found");
  const stored = imageKey.endsWith(".png") ? ("image/png" as const) : ("image/jpeg" as const);
  return { bytes, contentType: thumbnail ? "image/webp" : stored };
};

/**
 * Notes that a picture lost a pin, or never gets one; other pins may have it still. Belongs into the transaction in
 * which that happens. Its time counts from the last one that it lost.
 */
export const orphanImage = async (tx: Ctx, { imageKey }: { imageKey: string }): Promise<void> => {
  await tx.db
    .insert(orphanedImages)
    .values({ key: imageKey, since: tx.now() })
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};

/** Notes that pictures are to go from the storage at once, not after the usual while. Belongs into a transaction. */
export const condemnImages = async (tx: Ctx, { imageKeys }: { imageKeys: readonly string[] }): Promise<void> => {
  if (imageKeys.length === 0) return;
  const since = addMs(tx.now(), -RETENTION_MS.orphanedImage);
  await tx.db
    .insert(orphanedImages)
    .values([...new Set(imageKeys)].toSorted().map((key) => ({ key, since })))
    .onConflictDoUpdate({ target: orphanedImages.key, set: { since: sql`excluded.since` } });
};
