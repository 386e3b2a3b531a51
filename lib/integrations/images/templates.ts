import "server-only";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas, ImageData, loadImage, type SKRSContext2D } from "@napi-rs/canvas";
import sharp from "sharp";
import { createBoundedWork } from "#lib/core/concurrency.ts";
import type { TemplateName } from "#lib/core/images.ts";
import { lettersWithout, pairingOf } from "./fonts.ts";
import type { PicturesPort, TemplateDrawing } from "./port.ts";
import { band, label, slip, veil } from "./template-labels.ts";
import { arch, disc, frame, strips } from "./template-shapes.ts";
import { type Template, unitOf } from "./template-sheet.ts";
import { writeLegibly } from "./text-fitting.ts";
import { encodeWorded, within } from "./uploads.ts";

const TEMPLATES: Record<TemplateName, Template> = { label, band, slip, veil, frame, arch, disc, strips };

/** Pixels that are drawn on at a time in this process: two pins, or one large upload. */
const drawing = createBoundedWork(6_000_000);
const LEAST_WEIGHT = 500_000;
const MAX_PIXELS = 50_000_000;
const WEBP = { quality: 80, effort: 2 } as const;

const open = (jpeg: Uint8Array) => sharp(jpeg, { limitInputPixels: MAX_PIXELS, failOn: "error" });

const paintPicture = async (jpeg: Uint8Array, widthPx: number | undefined): Promise<SKRSContext2D> => {
  const source = widthPx === undefined ? open(jpeg) : open(jpeg).resize({ width: widthPx, withoutEnlargement: true });
  const { data, info } = await source.toColourspace("srgb").ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const ctx = createCanvas(info.width, info.height).getContext("2d");
  const pixels = new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength);
  ctx.putImageData(new ImageData(pixels, info.width, info.height), 0, 0);
  return ctx;
};

/** Puts a template on a painted picture. @returns the least contrast of its words, as measured. */
export const drawOn = async (ctx: SKRSContext2D, input: Omit<TemplateDrawing, "picture">): Promise<number> => {
  const { template, colours, fontPairing, words, signature } = input;
  const logo = input.logo ? await loadImage(Buffer.from(input.logo)) : null;
  const size = { widthPx: ctx.canvas.width, heightPx: ctx.canvas.height };
  const unit = unitOf(size.widthPx, size.heightPx);
  const sheet = { ctx, ...size, unit, colours, pairing: pairingOf(fontPairing), words, signature, logo };
  const { writings, help } = TEMPLATES[template](sheet);
  return writeLegibly(ctx, writings, help);
};

/** A picture with a template on it, and the least contrast of its words. */
const draw = async (input: TemplateDrawing, widthPx?: number): Promise<{ ctx: SKRSContext2D; contrast: number }> => {
  const ctx = await paintPicture(input.picture, widthPx);
  return { ctx, contrast: await drawOn(ctx, input) };
};

const rawOf = ({ canvas }: SKRSContext2D) =>
  sharp(canvas.data(), { raw: { width: canvas.width, height: canvas.height, channels: 4 } }).removeAlpha();

/** Draws in turn, the larger the fewer at a time. Previews do not wait behind pictures that are made to be kept. */
const inTurn = async <R>(picture: Uint8Array, isPreview: boolean, work: () => Promise<R>): Promise<R> => {
  const { width, height } = await open(picture).metadata();
  return drawing.run(Math.max(LEAST_WEIGHT, width * height), work, { isUrgent: isPreview });
};

export const drawTemplate: PicturesPort["drawTemplate"] = (input) =>
  inTurn(input.picture, false, async () => {
    const { ctx, contrast } = await draw(input);
    const pixels = await rawOf(ctx).raw().toBuffer({ resolveWithObject: true });
    const jpeg = await encodeWorded(pixels, input.picture);
    return { jpeg, widthPx: pixels.info.width, heightPx: pixels.info.height, contrast };
  });

export const previewTemplate: PicturesPort["previewTemplate"] = (input, { widthPx, isExact }) =>
  inTurn(input.picture, true, async () => {
    const { ctx, contrast } = await draw(input, isExact ? undefined : widthPx);
    const webp = await rawOf(ctx).resize(within(widthPx)).webp(WEBP).toBuffer();
    return { webp, contrast };
  });

/** The part of a poster without its own words, at the size of a pin. */
const SAMPLE = { name: "bread", left: 0, top: 372, width: 1_024, height: 1_066 };

/** Resolved when called, so that a bundler does not take the folder along. */
const drawSample = async (): Promise<Uint8Array> => {
  const poster = await readFile(join(process.cwd(), "public", "posters", `${SAMPLE.name}.svg`));
  const { left, top, width, height } = SAMPLE;
  const whole = await sharp(poster).resize(1_024, 1_536, { fit: "fill" }).png().toBuffer();
  const part = await sharp(whole).extract({ left, top, width, height }).png().toBuffer();
  return sharp(part).resize(1_080, 1_680, { fit: "cover" }).flatten({ background: "#ffffff" }).jpeg().toBuffer();
};

let sample: Promise<Uint8Array> | undefined;

export const samplePicture: PicturesPort["samplePicture"] = () => {
  sample ??= drawSample();
  return sample;
};

export const missingLetters: PicturesPort["missingLetters"] = ({ fontPairing, words, signature }) => {
  const pairing = pairingOf(fontPairing);
  return [...new Set([...lettersWithout(words, pairing.words), ...lettersWithout(signature, pairing.signature)])];
};
