import type { FullCtx } from "#lib/context.ts";
import { IMAGE_PATH } from "#lib/features/pins/constants.ts";
import { signedImageUrl } from "#lib/features/pins/image-urls.ts";
import { readImage } from "#lib/features/pins/images.ts";
import { thumbnailOf } from "#lib/features/pins/policy.ts";
import { imageRequest } from "#lib/features/pins/schema.ts";

/** Reads the image of a URL as the route does. */
export const readUrl = (ctx: FullCtx, url: string): ReturnType<typeof readImage> =>
  readImage(ctx, imageRequest.parse({ key: url.slice(IMAGE_PATH.length).split("/") }));

/** Reads an image or thumbnail by its key, with a signature as its owner gets it. */
export const readOwnImage = (ctx: FullCtx, key: string): ReturnType<typeof readImage> => {
  const imageKey = thumbnailOf(key)?.imageKey ?? key;
  return readUrl(ctx, signedImageUrl(ctx, imageKey).replace(imageKey, key));
};
