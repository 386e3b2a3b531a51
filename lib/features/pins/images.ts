import "server-only";
import { eq, sql } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { thumbnailOf } from "./policy.ts";
import type { Pin } from "./queries.ts";
import { type ImageState, imageState } from "./schema.ts";

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

/** Reads an image or thumbnail. Anyone who knows the key may see it (decision 0004). @throws AppError `not_found` */
export const readImage = async (ctx: Ctx<"images" | "storage">, { key }: { key: string }): Promise<ServedImage> => {
  const thumbnail = thumbnailOf(key);
  const imageKey = thumbnail?.imageKey ?? key;
  const read = () => (thumbnail ? readThumbnail(ctx, key, thumbnail) : ctx.storage.get(imageKey));
  const bytes = IMAGE.test(imageKey) ? await read() : null;
  if (!bytes) throw new AppError("not_found");
  const stored = imageKey.endsWith(".png") ? ("image/png" as const) : ("image/jpeg" as const);
  return { bytes, contentType: thumbnail ? "image/webp" : stored };
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
