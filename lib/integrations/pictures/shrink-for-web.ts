import "server-only";
import sharp from "sharp";
import { createBoundedWork } from "#lib/core/bounded-work.ts";

/** Qualities at which flat colours still have clean edges. */
const AVIF = { quality: 58, effort: 6, chromaSubsampling: "4:4:4" } as const;
const WEBP = { quality: 82, effort: 5 } as const;

/** A picture at `widthPx` wide, without metadata, in a format of browsers: for the files of the public pages. */
export const shrinkForWeb = (image: Uint8Array, widthPx: number, format: "avif" | "webp"): Promise<Buffer> => {
  const smaller = sharp(image).resize({ width: widthPx, kernel: "lanczos3" });
  return (format === "avif" ? smaller.avif(AVIF) : smaller.webp(WEBP)).toBuffer();
};

/** For thumbnails, which are made while somebody waits: nearly as small, in a fraction of the time. */
const THUMBNAIL = { quality: 78, effort: 2 } as const;

/** Thumbnails that are made at a time in this process. */
const shrinking = createBoundedWork(2);

/** WebP has no side longer than 16,383 pixels; pictures may have. */
const WEBP_SIDE_PX = 16_000;

/** The size of a picture that screens show at most `widthPx` wide: its own shape, and never enlarged. */
export const within = (widthPx: number) =>
  ({ width: widthPx, height: WEBP_SIDE_PX, fit: "inside", withoutEnlargement: true }) as const;

/** A prepared picture at most `widthPx` wide, as WebP. */
export const shrink = (jpeg: Uint8Array, widthPx: number): Promise<Uint8Array> =>
  shrinking.run(1, () => sharp(jpeg).resize(within(widthPx)).webp(THUMBNAIL).toBuffer());
