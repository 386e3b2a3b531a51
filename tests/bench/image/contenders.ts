import sharp from "sharp";
import { createImages } from "#lib/integrations/images/client.ts";

/** The pin's canvas. */
export const CANVAS = { widthPx: 1080, heightPx: 1680 } as const;

const SHARE = { fit: "cover", position: "centre" } as const;

/** A gradient, a headline in two lines and a button, as an SVG over the image. */
const OVERLAY =
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${CANVAS.widthPx}" height="${CANVAS.heightPx}">
<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="0.5" stop-color="#000" stop-opacity="0"/>
<stop offset="1" stop-color="#000" stop-opacity="0.8"/></linearGradient></defs>
<rect width="100%" height="100%" fill="url(#g)"/>
<g fill="#fff" font-family="sans-serif" font-size="92" font-weight="700"><text x="80" y="1300">Seven quiet corners</text>
<text x="80" y="1410">for a small garden</text></g>
<rect x="80" y="1480" width="360" height="96" rx="48" fill="#fff"/>
<text x="260" y="1544" text-anchor="middle" font-family="sans-serif" font-size="40">Read more</text></svg>`);

const resized = (image: Uint8Array, kernel: "linear" | "lanczos3") =>
  sharp(image).resize(CANVAS.widthPx, CANVAS.heightPx, { ...SHARE, kernel });

const ours = async (image: Uint8Array): Promise<Uint8Array> => {
  const prepared = await createImages().preparePin(image, CANVAS);
  if (!prepared) throw new Error("Our client could not read the image.");
  return prepared.jpeg;
};

/** Each contender creates a file from a model's image. */
export const CONTENDERS = {
  ours,
  /** The common solution: sharp with an SVG overlay. */
  svg: (image: Uint8Array) =>
    resized(image, "lanczos3")
      .composite([{ input: OVERLAY }])
      .jpeg({ quality: 84 })
      .toBuffer(),
  /** The minimum: decode, resize and encode. */
  limit: (image: Uint8Array) => resized(image, "linear").jpeg({ quality: 84, optimiseCoding: false }).toBuffer(),
  decoding: (image: Uint8Array) => sharp(image).raw().toBuffer(),
} as const satisfies Record<string, (image: Uint8Array) => Promise<Uint8Array>>;

export type ContenderName = keyof typeof CONTENDERS;

/** The lossless reference that results are compared with. */
export const makeReference = (image: Uint8Array): Promise<Uint8Array> =>
  resized(image, "lanczos3").png({ compressionLevel: 1 }).toBuffer();
