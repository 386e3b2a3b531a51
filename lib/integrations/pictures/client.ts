import "server-only";
import sharp, { type OutputInfo } from "sharp";
import type { PicturesPort, PreparedPicture } from "./port.ts";

/** Largest picture we decode: 50 megapixels, far above what a model draws and far below what fills the memory. */
const MAX_INPUT_PIXELS = 50_000_000;
const MAX_BYTES = 300_000;
/** From best to smallest; the blur of the last ones only ever meets pictures that are pure noise. */
const ATTEMPTS = [
  { quality: 84 },
  { quality: 78 },
  { quality: 70 },
  { quality: 60 },
  { quality: 48 },
  { quality: 34 },
  { quality: 30, blurPx: 1 },
  { quality: 24, blurPx: 3 },
  { quality: 20, blurPx: 8 },
] as const satisfies readonly { quality: number; blurPx?: number }[];

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
    const { format } = await source.metadata();
    if (!DECODED_FORMATS.has(format)) return null;
    return await source
      .rotate()
      .resize(canvas.widthPx, canvas.heightPx, { fit: "cover", position: "centre" })
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

const encode = ({ data, info }: Pixels, attempt: { quality: number; blurPx?: number }): Promise<Buffer> => {
  const pixels = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const softened = attempt.blurPx ? pixels.blur(attempt.blurPx) : pixels;
  return softened.jpeg({ quality: attempt.quality, mozjpeg: true }).withXmp(XMP).toBuffer();
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

/** Pictures by libvips. What the input carried besides its pixels (place, camera, profile) is not passed on. */
export const createPictures = (): PicturesPort => ({ preparePin });
