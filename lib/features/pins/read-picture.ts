import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { thumbnailOf } from "./policy.ts";

/** A stored picture as it is served. */
export interface ServedPicture {
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
