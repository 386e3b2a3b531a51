import "server-only";
import { open } from "node:fs/promises";
import type { Metadata, OutputInfo } from "sharp";
import sharp from "sharp";
import { createBoundedWork } from "#lib/core/concurrency.ts";
import { KIND_BYTES, type PictureKind, pictureKindOf } from "#lib/core/images.ts";
import type { PreparedLogo, PreparedUpload, UploadFault } from "./port.ts";

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
const isMarkedAsMade = async (jpeg: Uint8Array): Promise<boolean> => {
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

/** Largest picture that is decoded: what the best phones take, and far below what fills the memory. */
const MAX_INPUT_PIXELS = 50_000_000;
/** Pinterest shows pins at 1000x1500; four times that area holds up on every screen, whatever the shape. */
const MAX_OUTPUT_PIXELS = 6_000_000;
/** Pinterest's own limit is not documented; beyond this it is known to refuse. */
const MAX_OUTPUT_BYTES = 10_000_000;
/** No side of a JPEG may be longer. */
const MAX_SIDE_PX = 65_500;
const TIMEOUT_SECONDS = 40;
/** Only pure noise needs more than one of these. */
const QUALITIES = [86, 70, 50, 30];

/** Pixels that may be decoded at a time in this process. A photograph takes 100 MB and more, and is decoded alone. */
const decoding = createBoundedWork(16_000_000);
/** Whatever its size, a picture takes some time and memory: no more than two at once. */
const LEAST_WEIGHT = 8_000_000;

const FAULTS = { empty: "empty", heic: "heic", svg: "svg", other: "not_a_picture" } as const;

const isDecodable = (kind: PictureKind): kind is Exclude<PictureKind, keyof typeof FAULTS> => !(kind in FAULTS);

/** A file that was refused. */
type Refusal = { kind: "refused"; fault: UploadFault };

const refuse = (fault: UploadFault): Refusal => ({ kind: "refused", fault });

const readHead = async (path: string): Promise<Uint8Array> => {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(KIND_BYTES), 0, KIND_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};

// Every picture is read once: what libvips would keep of it is memory for nothing.
sharp.cache(false);

/** The decoder of a file that was judged. */
const openUpload = (path: string) =>
  sharp(path, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error" }).timeout({ seconds: TIMEOUT_SECONDS });

/** The size that the picture is shrunk to; its shape stays. */
const fitted = ({ width, height }: { width: number; height: number }) => {
  const scale = Math.min(1, Math.sqrt(MAX_OUTPUT_PIXELS / (width * height)), MAX_SIDE_PX / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

const encodeUpload = (path: string, seen: Metadata, quality: number) => {
  const { width, height } = fitted(seen.autoOrient);
  return openUpload(path)
    .autoOrient()
    .resize(width, height, { fit: "fill" })
    .flatten({ background: "#ffffff" })
    .toColourspace("srgb")
    .jpeg({ quality })
    .toBuffer({ resolveWithObject: true });
};

const prepare = async (path: string, seen: Metadata): Promise<PreparedUpload> => {
  for (const quality of QUALITIES) {
    const { data, info } = await encodeUpload(path, seen, quality);
    if (data.byteLength > MAX_OUTPUT_BYTES) continue;
    const isFirstFrame = (seen.pages ?? 1) > 1;
    return { kind: "prepared", jpeg: data, widthPx: info.width, heightPx: info.height, isFirstFrame };
  }
  return refuse("broken");
};

const faultOf = (error: Error): UploadFault => {
  if (/pixel limit/i.test(error.message)) return "too_many_pixels";
  return /timeout/i.test(error.message) ? "too_slow" : "broken";
};

/** What the picture is and measures; read without decoding it. */
const inspect = async (path: string, kind: PictureKind): Promise<Metadata | UploadFault> => {
  const seen = await sharp(path, { limitInputPixels: false, failOn: "error" }).metadata();
  if (seen.format !== kind) return "broken";
  return seen.width * seen.height > MAX_INPUT_PIXELS ? "too_many_pixels" : seen;
};

/**
 * Judges a file that somebody sent, its kind by its bytes and its size before it is decoded, and works on it when it is a
 * picture; no more pixels at a time than there is memory for.
 */
const decodeUpload = async <R>(path: string, work: (seen: Metadata) => Promise<R>): Promise<R | Refusal> => {
  const kind = pictureKindOf(await readHead(path));
  if (!isDecodable(kind)) return refuse(FAULTS[kind]);
  try {
    const seen = await inspect(path, kind);
    if (typeof seen === "string") return refuse(seen);
    const weight = Math.max(LEAST_WEIGHT, seen.width * seen.height);
    return await decoding.run(weight, () => work(seen));
  } catch (error) {
    // Broken bytes, bombs and lies all come as a plain Error; which one is told by its words.
    if (error instanceof Error) return refuse(faultOf(error));
    throw error;
  }
};

/**
 * A JPEG for Pinterest from a file that somebody sent (R-SRV-07, A-14, A-15): turned upright, never cropped, and without
 * anything but pixels: place, camera, profile and whatever hides behind the picture stay behind. Of a moving picture the
 * first frame is taken.
 */
export const prepareUpload = (path: string): Promise<PreparedUpload> =>
  decodeUpload(path, (seen) => prepare(path, seen));

const LOGO_SIDE_PX = 800;

/**
 * A PNG from a file that somebody sent as their logo (R-SRV-07): judged as other uploads are, upright, and clear where it
 * was clear, without anything but pixels.
 */
export const prepareLogo = (path: string): Promise<PreparedLogo> =>
  decodeUpload(path, async (): Promise<PreparedLogo> => {
    const size = { width: LOGO_SIDE_PX, height: LOGO_SIDE_PX };
    const small = await openUpload(path)
      .autoOrient()
      .resize({ ...size, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .png()
      .toBuffer();
    return { kind: "prepared", png: small };
  });
