import "server-only";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, ImageData, loadImage, type SKRSContext2D } from "@napi-rs/canvas";
import sharp from "sharp";
import { createConcurrencyLimiter } from "#lib/core/concurrency.ts";
import type { TemplateName } from "#lib/core/images.ts";
import { missingIn, pairingOf } from "./fonts.ts";
import type { ImagesPort, TemplateInput } from "./port.ts";
import { type Template, unitOf } from "./template-canvas.ts";
import { band, caption, label, veil } from "./template-labels.ts";
import { arch, disc, frame, strips } from "./template-shapes.ts";
import { drawLegibly } from "./text-fitting.ts";
import { encodeWithText, within } from "./uploads.ts";

const TEMPLATES: Record<TemplateName, Template> = { label, band, slip: caption, veil, frame, arch, disc, strips };

/** Pixels processed at a time: two pins, or one large upload. */
const drawingLimiter = createConcurrencyLimiter(6_000_000);
const LEAST_WEIGHT = 500_000;
const MAX_PIXELS = 50_000_000;
const WEBP = { quality: 80, effort: 2 } as const;

const open = (jpeg: Uint8Array) => sharp(jpeg, { limitInputPixels: MAX_PIXELS, failOn: "error" });

const paintImage = async (jpeg: Uint8Array, widthPx: number | undefined): Promise<SKRSContext2D> => {
  const source = widthPx === undefined ? open(jpeg) : open(jpeg).resize({ width: widthPx, withoutEnlargement: true });
  const { data, info } = await source.toColourspace("srgb").ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const ctx = createCanvas(info.width, info.height).getContext("2d");
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
  ctx.putImageData(new ImageData(pixels, info.width, info.height), 0, 0);
  return ctx;
};

/** Draws a template on an image. @returns the lowest measured contrast of its text. */
export const drawOn = async (ctx: SKRSContext2D, input: Omit<TemplateInput, "image">): Promise<number> => {
  const { template, colors, fontPairing, text, signature } = input;
  const logo = input.logo ? await loadImage(Buffer.from(input.logo)) : null;
  const size = { widthPx: ctx.canvas.width, heightPx: ctx.canvas.height };
  const unit = unitOf(size.widthPx, size.heightPx);
  const canvas = { ctx, ...size, unit, colors, pairing: pairingOf(fontPairing), text, signature, logo };
  const { textBlocks, underlay } = TEMPLATES[template](canvas);
  return drawLegibly(ctx, textBlocks, underlay);
};

const draw = async (input: TemplateInput, widthPx?: number): Promise<{ ctx: SKRSContext2D; contrast: number }> => {
  const ctx = await paintImage(input.image, widthPx);
  return { ctx, contrast: await drawOn(ctx, input) };
};

const rawOf = ({ canvas }: SKRSContext2D) =>
  sharp(canvas.data(), { raw: { width: canvas.width, height: canvas.height, channels: 4 } }).removeAlpha();

/** Bounds concurrent work by image size. Previews go before images that will be stored. */
const inTurn = async <R>(image: Uint8Array, isPreview: boolean, work: () => Promise<R>): Promise<R> => {
  const { width, height } = await open(image).metadata();
  return drawingLimiter.run(Math.max(LEAST_WEIGHT, width * height), work, { isUrgent: isPreview });
};

export const drawTemplate: ImagesPort["drawTemplate"] = (input) =>
  inTurn(input.image, false, async () => {
    const { ctx, contrast } = await draw(input);
    const pixels = await rawOf(ctx).raw().toBuffer({ resolveWithObject: true });
    const jpeg = await encodeWithText(pixels, input.image);
    return { jpeg, widthPx: pixels.info.width, heightPx: pixels.info.height, contrast };
  });

export const previewTemplate: ImagesPort["previewTemplate"] = (input, { widthPx, isExact }) =>
  inTurn(input.image, true, async () => {
    const { ctx, contrast } = await draw(input, isExact ? undefined : widthPx);
    const webp = await rawOf(ctx).resize(within(widthPx)).webp(WEBP).toBuffer();
    return { webp, contrast };
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
