import "server-only";
import { open } from "node:fs/promises";
import type { Metadata, OutputInfo } from "sharp";
import sharp from "sharp";
import { createConcurrencyLimiter } from "#lib/core/concurrency.ts";
import { type ImageKind, imageKindOf, KIND_BYTES } from "#lib/core/images.ts";
import type { FittedImage, PreparedLogo, PreparedUpload, UploadFault } from "./port.ts";

/** At these qualities flat colors still have clean edges. */
const AVIF = { quality: 58, effort: 6, chromaSubsampling: "4:4:4" } as const;
const WEBP = { quality: 82, effort: 5 } as const;

/** Resizes an image to `widthPx` without metadata, for the files of the public pages. */
export const shrinkForWeb = (image: Uint8Array, widthPx: number, format: "avif" | "webp"): Promise<Buffer> => {
  const smaller = sharp(image).resize({ width: widthPx, kernel: "lanczos3" });
  return (format === "avif" ? smaller.avif(AVIF) : smaller.webp(WEBP)).toBuffer();
};

/** Thumbnails are created on demand, so encoding is fast. */
const THUMBNAIL = { quality: 78, effort: 2 } as const;

const thumbnailLimiter = createConcurrencyLimiter(2);

/** WebP allows at most 16,383 pixels per side; uploads may be longer. */
const WEBP_SIDE_PX = 16_000;

export const within = (widthPx: number) =>
  ({ width: widthPx, height: WEBP_SIDE_PX, fit: "inside", withoutEnlargement: true }) as const;

export const shrink = (jpeg: Uint8Array, widthPx: number): Promise<Uint8Array> =>
  thumbnailLimiter.run(1, () => sharp(jpeg).resize(within(widthPx)).webp(THUMBNAIL).toBuffer());

const AI_IMAGE_BYTES_MAX = 300_000;
/** Pinterest is known to reject larger files. */
const OWN_IMAGE_BYTES_MAX = 10_000_000;

interface Attempt {
  quality: number;
  /** Saves a third of the bytes for ten times the work. */
  mozjpeg?: boolean;
  blurPx?: number;
}

/** From best to smallest. Most images fit at the first attempt; only pure noise needs the blur. */
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

/** XMP with IPTC's digital source type for AI-generated images. */
const XMP = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" Iptc4xmpExt:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/${SOURCE_TYPE}"/></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`;

export interface Pixels {
  data: Buffer;
  info: OutputInfo;
}

interface Encoding {
  isAiGenerated: boolean;
  /** Text needs clean edges. */
  hasText: boolean;
}

const encode = ({ data, info }: Pixels, attempt: Attempt, { isAiGenerated, hasText }: Encoding): Promise<Buffer> => {
  const { quality, mozjpeg = false, blurPx } = attempt;
  const pixels = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
  const softened = blurPx ? pixels.blur(blurPx) : pixels;
  const coding = mozjpeg ? { mozjpeg } : { optimiseCoding: false };
  const chroma = hasText && quality >= 74 ? { chromaSubsampling: "4:4:4" } : {};
  const jpeg = softened.jpeg({ quality, ...coding, ...chroma });
  return (isAiGenerated ? jpeg.withXmp(XMP) : jpeg).toBuffer();
};

const encodeWithin = async (
  pixels: Pixels,
  encoding: Encoding,
  bytesMax = encoding.isAiGenerated ? AI_IMAGE_BYTES_MAX : OWN_IMAGE_BYTES_MAX,
): Promise<Buffer | null> => {
  for (const attempt of ATTEMPTS) {
    const jpeg = await encode(pixels, attempt, encoding);
    if (jpeg.byteLength <= bytesMax) return jpeg;
  }
  return null;
};

/** Encodes an AI-generated image as a marked JPEG of at most 300 kB; null when it cannot be made that small. */
export const encodeGenerated = (pixels: Pixels): Promise<Buffer | null> =>
  encodeWithin(pixels, { isAiGenerated: true, hasText: false });

/** Five of them are sent in one request. */
const SLIDE_BYTES_MAX = 4_000_000;

const fitTo = async (jpeg: Uint8Array, size: { width: number; height: number }): Promise<Uint8Array> => {
  const { width, height } = await sharp(jpeg).metadata();
  if (width === size.width && height === size.height && jpeg.byteLength <= SLIDE_BYTES_MAX) return jpeg;
  const pixels = await sharp(jpeg)
    .resize({ ...size, fit: "contain", background: "#ffffff" })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const fitted = await encodeWithin(pixels, { isAiGenerated: false, hasText: false }, SLIDE_BYTES_MAX);
  if (!fitted) throw new Error("The image cannot be made small enough.");
  return fitted;
};

/** One by one, to limit memory. */
export const fitToFirst = async (jpegs: readonly Uint8Array[]): Promise<Uint8Array[]> => {
  const [first] = jpegs;
  if (!first) return [];
  const { width, height } = await sharp(first).metadata();
  const fitted: Uint8Array[] = [];
  for (const jpeg of jpegs) fitted.push(await fitTo(jpeg, { width, height }));
  return fitted;
};

const isMarkedAsAiGenerated = async (jpeg: Uint8Array): Promise<boolean> => {
  const { xmp } = await sharp(jpeg).metadata();
  return xmp?.includes(SOURCE_TYPE) ?? false;
};

/** At most 300 kB and marked if the original is AI-generated, else 10 MB. @throws Error when it stays larger */
export const encodeWithText = async (pixels: Pixels, original: Uint8Array): Promise<Buffer> => {
  const isAiGenerated = await isMarkedAsAiGenerated(original);
  const jpeg = await encodeWithin(pixels, { isAiGenerated, hasText: true });
  if (!jpeg) throw new Error("The image cannot be made small enough.");
  return jpeg;
};

/** Enough for the best phones, and far below what fills the memory. */
const MAX_INPUT_PIXELS = 50_000_000;
/** Four times the area of Pinterest's 1000x1500, which is enough for every screen. */
const MAX_OUTPUT_PIXELS = 6_000_000;
/** Pinterest's limit is undocumented; it is known to reject larger files. */
const MAX_OUTPUT_BYTES = 10_000_000;
/** The longest side that a JPEG allows. */
const MAX_SIDE_PX = 65_500;
const TIMEOUT_SECONDS = 40;
/** Only pure noise needs more than the first. */
const QUALITIES = [86, 70, 50, 30];

/** Pixels decoded at a time. A large photo takes 100 MB or more and is decoded alone. */
const decodeLimiter = createConcurrencyLimiter(16_000_000);
/** At most two images at once, however small. */
const LEAST_WEIGHT = 8_000_000;

const FAULTS = { empty: "empty", heic: "heic", svg: "svg", other: "not_an_image" } as const;

const isDecodable = (kind: ImageKind): kind is Exclude<ImageKind, keyof typeof FAULTS> => !(kind in FAULTS);

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

// Every image is read once, so a cache would only cost memory.
sharp.cache(false);

const openUpload = (path: string) =>
  sharp(path, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error" }).timeout({ seconds: TIMEOUT_SECONDS });

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

const boardProblem = (error: Error): UploadFault => {
  if (/pixel limit/i.test(error.message)) return "too_many_pixels";
  return /timeout/i.test(error.message) ? "too_slow" : "broken";
};

const inspect = async (path: string, kind: ImageKind): Promise<Metadata | UploadFault> => {
  const seen = await sharp(path, { limitInputPixels: false, failOn: "error" }).metadata();
  if (seen.format !== kind) return "broken";
  return seen.width * seen.height > MAX_INPUT_PIXELS ? "too_many_pixels" : seen;
};

/** Checks an upload's type by its bytes and its size before decoding, then runs `work` within the memory limit. */
const decodeUpload = async <R>(path: string, work: (seen: Metadata) => Promise<R>): Promise<R | Refusal> => {
  const kind = imageKindOf(await readHead(path));
  if (!isDecodable(kind)) return refuse(FAULTS[kind]);
  try {
    const seen = await inspect(path, kind);
    if (typeof seen === "string") return refuse(seen);
    const weight = Math.max(LEAST_WEIGHT, seen.width * seen.height);
    return await decodeLimiter.run(weight, () => work(seen));
  } catch (error) {
    // Broken data, decompression bombs and timeouts all throw a plain Error, so the message decides.
    if (error instanceof Error) return refuse(boardProblem(error));
    throw error;
  }
};

/** Upright, never cropped, without metadata or trailing data; the first frame of an animation. */
export const prepareUpload = (path: string): Promise<PreparedUpload> =>
  decodeUpload(path, (seen) => prepare(path, seen));

const LOGO_SIDE_PX = 800;

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

/** More than this share of an image is never cropped away. */
const CROPPED_MAX = 0.3;
/** Of the canvas' width: an image that covers less of it looks blurred. */
const SMALLEST_SHARE = 0.3;
const BACKDROP_BLUR_PX = 40;
const BACKDROP_BRIGHTNESS = 0.85;

type Canvas = { widthPx: number; heightPx: number };

const drawFitted = async (path: string, seen: Metadata, { widthPx, heightPx }: Canvas): Promise<Pixels> => {
  const { width, height } = seen.autoOrient;
  const share = (width * heightPx) / (height * widthPx);
  const cropped = 1 - Math.min(share, 1 / share);
  const upright = () => openUpload(path).autoOrient().flatten({ background: "#ffffff" }).toColourspace("srgb");
  const size = { width: widthPx, height: heightPx };
  if (cropped <= CROPPED_MAX) {
    const cover = upright().resize({ ...size, fit: "cover", position: "centre" });
    return cover.removeAlpha().raw().toBuffer({ resolveWithObject: true });
  }
  const whole = await upright()
    .resize({ ...size, fit: "inside" })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const backdrop = await upright()
    .resize({ ...size, fit: "cover" })
    .blur(BACKDROP_BLUR_PX)
    .modulate({ brightness: BACKDROP_BRIGHTNESS })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return sharp(backdrop)
    .composite([{ input: whole }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
};

export const fitToCanvas = async (path: string, canvas: Canvas): Promise<FittedImage> => {
  const fitted = await decodeUpload(path, async (seen): Promise<FittedImage> => {
    const { width, height } = seen.autoOrient;
    if (Math.min(width, height) < SMALLEST_SHARE * canvas.widthPx) return { kind: "too_small" };
    const pixels = await drawFitted(path, seen, canvas);
    const jpeg = await encodeWithin(pixels, { isAiGenerated: false, hasText: true });
    return jpeg ? { kind: "fitted", jpeg, ...canvas } : { kind: "refused" };
  });
  return fitted.kind === "refused" ? { kind: "refused" } : fitted;
};
