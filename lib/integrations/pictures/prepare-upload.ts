import "server-only";
import { open } from "node:fs/promises";
import sharp, { type Metadata } from "sharp";
import { createBoundedWork } from "#lib/core/bounded-work.ts";
import { KIND_BYTES, type PictureKind, pictureKindOf } from "#lib/core/picture-kind.ts";
import type { PreparedUpload, UploadFault } from "./port.ts";

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
export const openUpload = (path: string) =>
  sharp(path, { limitInputPixels: MAX_INPUT_PIXELS, failOn: "error" }).timeout({ seconds: TIMEOUT_SECONDS });

/** The size that the picture is shrunk to; its shape stays. */
const fitted = ({ width, height }: { width: number; height: number }) => {
  const scale = Math.min(1, Math.sqrt(MAX_OUTPUT_PIXELS / (width * height)), MAX_SIDE_PX / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
};

const encode = (path: string, seen: Metadata, quality: number) => {
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
    const { data, info } = await encode(path, seen, quality);
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
export const decodeUpload = async <R>(path: string, work: (seen: Metadata) => Promise<R>): Promise<R | Refusal> => {
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
