import "server-only";
import sharp from "sharp";
import { describeJpeg } from "./describe-image.ts";
import type { ImagesPort, PreparedImage } from "./port.ts";
import { drawIcon, drawShareImage } from "./shared-images.ts";
import { drawTemplate, missingCharacters, previewTemplate, sampleImage } from "./templates.ts";
import {
  encodeGenerated,
  fitToCanvas,
  fitToFirst,
  type Pixels,
  prepareLogo,
  prepareUpload,
  shrink,
} from "./uploads.ts";

/** Far above what a model generates, and far below what fills the memory. */
const MAX_INPUT_PIXELS = 50_000_000;
const DECODED_FORMATS = new Set(["jpeg", "png", "webp"]);

const decode = async (image: Uint8Array, canvas: { widthPx: number; heightPx: number }): Promise<Pixels | null> => {
  try {
    const source = sharp(image, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error" });
    const { format, width, height } = await source.metadata();
    if (!DECODED_FORMATS.has(format)) return null;
    // A slight enlargement looks the same with the cheap kernel; shrinking does not.
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
    // Broken data, decompression bombs and unknown formats all throw a plain Error.
    if (error instanceof Error) return null;
    throw error;
  }
};

const preparePin = async (
  image: Uint8Array,
  canvas: { widthPx: number; heightPx: number },
): Promise<PreparedImage | null> => {
  const pixels = await decode(image, canvas);
  if (!pixels) return null;
  const jpeg = await encodeGenerated(pixels);
  return jpeg && { jpeg, widthPx: pixels.info.width, heightPx: pixels.info.height };
};

/** Uses libvips for photos and Skia for drawing. Metadata of the input (location, camera, profile) is dropped. */
export const createImages = (): ImagesPort => ({
  preparePin,
  prepareUpload,
  fitToCanvas,
  fitToFirst,
  shrink,
  describeJpeg,
  drawShareImage,
  drawIcon,
  drawTemplate,
  previewTemplate,
  sampleImage,
  missingCharacters,
  prepareLogo,
});
