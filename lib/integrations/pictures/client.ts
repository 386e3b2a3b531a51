import "server-only";
import sharp, { type OutputInfo } from "sharp";
import { drawIcon } from "./draw-icon.ts";
import { drawShared } from "./draw-shared.ts";
import type { PicturesPort, PreparedPicture } from "./port.ts";

/** Largest picture we decode: 50 megapixels, far above what a model draws and far below what fills the memory. */
const MAX_INPUT_PIXELS = 50_000_000;
const MAX_BYTES = 300_000;
interface Attempt {
  quality: number;
  /** A third fewer bytes for ten times the work. */
  mozjpeg?: boolean;
  blurPx?: number;
}

/** From best to smallest: most pictures fit at once. The blur of the last ones only ever meets pure noise. */
const ATTEMPTS: readonly Attempt[] = [
  { quality: 84 },
  { quality: 78 },
  { quality: 74, mozjpeg: true },
  { quality: 60, mozjpeg: true },
  { quality: 48, mozjpeg: true },
  { quality: 34, mozjpeg: true },
  { quality: 30, mozjpeg: true, blurPx: 1 },
  { quality: 24, mozjpeg: true, blurPx: 3 },
  { quality: 20, mozjpeg: true, blurPx: 8 },
];

/** IPTC's word for pictures made by a model, as XMP (D10). */
const XMP = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"/></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;

interface Pixels {
  data: Buffer;
  info: OutputInfo;
}

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

const encode = ({ data, info }: Pixels, { quality, mozjpeg = false, blurPx }: Attempt): Promise<Buffer> => {
  const pixels = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const softened = blurPx ? pixels.blur(blurPx) : pixels;
  const coding = mozjpeg ? { mozjpeg } : { optimiseCoding: false };
  return softened
    .jpeg({ quality, ...coding })
    .withXmp(XMP)
    .toBuffer();
};

const preparePin = async (
  image: Uint8Array,
  canvas: { widthPx: number; heightPx: number },
): Promise<PreparedPicture | null> => {
  const pixels = await decode(image, canvas);
  if (!pixels) return null;
  for (const attempt of ATTEMPTS) {
    const jpeg = await encode(pixels, attempt);
    if (jpeg.byteLength <= MAX_BYTES) return { jpeg, widthPx: pixels.info.width, heightPx: pixels.info.height };
  }
  return null;
};

/** Photographs by libvips, drawings by Skia. What the input carried besides its pixels (place, camera, profile) is not passed on. */
export const createPictures = (): PicturesPort => ({ preparePin, drawShared, drawIcon });
