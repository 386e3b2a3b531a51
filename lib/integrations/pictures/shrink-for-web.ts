import "server-only";
import sharp from "sharp";

/** Qualities at which flat colours still have clean edges. */
const AVIF = { quality: 58, effort: 6, chromaSubsampling: "4:4:4" } as const;
const WEBP = { quality: 82, effort: 5 } as const;

/** A picture at `widthPx` wide, without metadata, in a format of browsers: for the files of the public pages. */
export const shrinkForWeb = (image: Uint8Array, widthPx: number, format: "avif" | "webp"): Promise<Buffer> => {
  const smaller = sharp(image).resize({ width: widthPx, kernel: "lanczos3" });
  return (format === "avif" ? smaller.avif(AVIF) : smaller.webp(WEBP)).toBuffer();
};
