import "server-only";
import type { OutputInfo } from "sharp";
import sharp from "sharp";

/** A finished pin of a model's picture. */
const MADE_BYTES_MAX = 300_000;
/** Beyond this Pinterest is known to refuse. */
const OWN_BYTES_MAX = 10_000_000;

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

const SOURCE_TYPE = "trainedAlgorithmicMedia";

/** IPTC's word for pictures made by a model, as XMP (D10). */
const XMP = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/${SOURCE_TYPE}"/></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;

/** Decoded pixels, from red to blue, row by row. */
export interface Pixels {
  data: Buffer;
  info: OutputInfo;
}

interface Encoding {
  isMadeByModel: boolean;
  /** Letters and flat colours keep clean edges. */
  hasWords: boolean;
}

const encode = ({ data, info }: Pixels, attempt: Attempt, { isMadeByModel, hasWords }: Encoding): Promise<Buffer> => {
  const { quality, mozjpeg = false, blurPx } = attempt;
  const pixels = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const softened = blurPx ? pixels.blur(blurPx) : pixels;
  const coding = mozjpeg ? { mozjpeg } : { optimiseCoding: false };
  const chroma = hasWords && quality >= 74 ? { chromaSubsampling: "4:4:4" } : {};
  const jpeg = softened.jpeg({ quality, ...coding, ...chroma });
  return (isMadeByModel ? jpeg.withXmp(XMP) : jpeg).toBuffer();
};

const encodeWithin = async (pixels: Pixels, encoding: Encoding): Promise<Buffer | null> => {
  const bytesMax = encoding.isMadeByModel ? MADE_BYTES_MAX : OWN_BYTES_MAX;
  for (const attempt of ATTEMPTS) {
    const jpeg = await encode(pixels, attempt, encoding);
    if (jpeg.byteLength <= bytesMax) return jpeg;
  }
  return null;
};

/** A model's picture as a JPEG of at most 300 kB that says what it is (D10); null when nothing makes it that small. */
export const encodeMade = (pixels: Pixels): Promise<Buffer | null> =>
  encodeWithin(pixels, { isMadeByModel: true, hasWords: false });

/** Whether a stored JPEG says that a model made it. */
export const isMarkedAsMade = async (jpeg: Uint8Array): Promise<boolean> => {
  const { xmp } = await sharp(jpeg).metadata();
  return xmp?.includes(SOURCE_TYPE) ?? false;
};

/**
 * A picture with words on it as a JPEG: of a model's picture at most 300 kB and marked as one, of others at most 10 MB.
 * @throws Error when nothing makes it that small, which no picture that was prepared by us does.
 */
export const encodeWorded = async (pixels: Pixels, original: Uint8Array): Promise<Buffer> => {
  const isMadeByModel = await isMarkedAsMade(original);
  const jpeg = await encodeWithin(pixels, { isMadeByModel, hasWords: true });
  if (!jpeg) throw new Error("The picture does not become small enough.");
  return jpeg;
};
