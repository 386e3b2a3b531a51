import "server-only";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { createConcurrencyLimiter } from "#lib/core/concurrency.ts";
import { missingIn, pairingOf } from "./fonts.ts";
import type { ImagesPort } from "./port.ts";
import { openImage } from "./template-drawing.ts";
import { drawInThread } from "./template-thread.ts";

/** Pixels processed at a time: two pins, or one large upload. */
const drawingLimiter = createConcurrencyLimiter(6_000_000);
const LEAST_WEIGHT = 500_000;

/** Bounds concurrent work by image size. Previews go before images that will be stored. */
const inTurn = async <R>(image: Uint8Array, isPreview: boolean, work: () => Promise<R>): Promise<R> => {
  const { width, height } = await openImage(image).metadata();
  return drawingLimiter.run(Math.max(LEAST_WEIGHT, width * height), work, { isUrgent: isPreview });
};

export const drawTemplate: ImagesPort["drawTemplate"] = (input) =>
  inTurn(input.image, false, async () => {
    const { bytes, ...drawing } = await drawInThread({ input, preview: null });
    return { jpeg: bytes, ...drawing };
  });

export const previewTemplate: ImagesPort["previewTemplate"] = (input, preview) =>
  inTurn(input.image, true, async () => {
    const { bytes, contrast } = await drawInThread({ input, preview });
    return { webp: bytes, contrast };
  });

/** The part of a poster without text. */
const SAMPLE = { name: "bread", left: 0, top: 372, width: 1_024, height: 1_066 };

/** The path is resolved when called, so that a bundler does not include the folder. */
const drawSample = async (): Promise<Uint8Array> => {
  const poster = await readFile(join(process.cwd(), "public", "posters", `${SAMPLE.name}.svg`));
  const { left, top, width, height } = SAMPLE;
  const whole = await sharp(poster).resize(1_024, 1_536, { fit: "fill" }).png().toBuffer();
  const part = await sharp(whole).extract({ left, top, width, height }).png().toBuffer();
  return sharp(part).resize(1_080, 1_680, { fit: "cover" }).flatten({ background: "#ffffff" }).jpeg().toBuffer();
};

let sample: Promise<Uint8Array> | undefined;

export const sampleImage: ImagesPort["sampleImage"] = () => {
  sample ??= drawSample();
  return sample;
};

export const missingCharacters: ImagesPort["missingCharacters"] = ({ fontPairing, text, signature }) => {
  const pairing = pairingOf(fontPairing);
  return [...new Set([...missingIn(text, pairing.text), ...missingIn(signature, pairing.signature)])];
};
