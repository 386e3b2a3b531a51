import "server-only";
import sharp from "sharp";
import { describePicture } from "./describe-picture.ts";
import type { PicturesPort, PreparedPicture } from "./port.ts";
import { drawIcon, drawShared } from "./shared-pictures.ts";
import { drawTemplate, missingLetters, previewTemplate, samplePicture } from "./templates.ts";
import { encodeMade, type Pixels, prepareLogo, prepareUpload, shrink } from "./uploads.ts";

/** Largest picture we decode: 50 megapixels, far above what a model draws and far below what fills the memory. */
const MAX_INPUT_PIXELS = 50_000_000;
const DECODED_FORMATS = new Set(["jpeg", "png", "webp"]);

const decode = async (image: Uint8Array, canvas: { widthPx: number; heightPx: number }): Promise<Pixels | null> => {
  try {
    const source = sharp(image, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error" });
    const { format, width, height } = await source.metadata();
    if (!DECODED_FORMATS.has(format)) return null;
    // Enlarging a little, as models' pictures need, looks the same with the cheap kernel; shrinking does not.
    const isEnlarged = Math.max(canvas.widthPx / width, canvas.heightPx / height) > 1;
    return await source
      .rotate()
      .resize(canvas.widthPx, canvas.heightPx, {
        fit: "cover",
        position: "centre",
        kernel: isEnlarged ? "linear" : "lanczos3",
      })
      .flatten({ background: "#ffffff" })
      .toColourspace("srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
  } catch (error) {
    // Broken bytes, bombs and unknown formats all come as a plain Error; none of them is a picture for us.
    if (error instanceof Error) return null;
    throw error;
  }
};

const preparePin = async (
  image: Uint8Array,
  canvas: { widthPx: number; heightPx: number },
): Promise<PreparedPicture | null> => {
  const pixels = await decode(image, canvas);
  if (!pixels) return null;
  const jpeg = await encodeMade(pixels);
  return jpeg && { jpeg, widthPx: pixels.info.width, heightPx: pixels.info.height };
};

/** Photographs by libvips, drawings by Skia. What the input carried besides its pixels (place, camera, profile) is not passed on. */
export const createPictures = (): PicturesPort => ({
  preparePin,
  prepareUpload,
  shrink,
  describePicture,
  drawShared,
  drawIcon,
  drawTemplate,
  previewTemplate,
  samplePicture,
  missingLetters,
  prepareLogo,
});
