import "server-only";
import { createCanvas, ImageData, loadImage, type SKRSContext2D } from "@napi-rs/canvas";
import sharp from "sharp";
import type { TemplateName } from "#lib/core/images.ts";
import { pairingOf } from "./fonts.ts";
import type { TemplateInput } from "./port.ts";
import { type Template, unitOf } from "./template-canvas.ts";
import { band, caption, label, veil } from "./template-labels.ts";
import { arch, disc, frame, strips } from "./template-shapes.ts";
import { drawLegibly } from "./text-fitting.ts";
import { encodeWithText, within } from "./uploads.ts";

const TEMPLATES: Record<TemplateName, Template> = { label, band, slip: caption, veil, frame, arch, disc, strips };

const MAX_PIXELS = 50_000_000;
const WEBP = { quality: 80, effort: 2 } as const;

export const openImage = (jpeg: Uint8Array) => sharp(jpeg, { limitInputPixels: MAX_PIXELS, failOn: "error" });

const paintImage = async (jpeg: Uint8Array, widthPx: number | undefined): Promise<SKRSContext2D> => {
  const whole = openImage(jpeg);
  const source = widthPx === undefined ? whole : whole.resize({ width: widthPx, withoutEnlargement: true });
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

const rawOf = ({ canvas }: SKRSContext2D) =>
  sharp(canvas.data(), { raw: { width: canvas.width, height: canvas.height, channels: 4 } }).removeAlpha();

/** `preview`: a WebP of this width; null for the image to store. */
export interface DrawingRequest {
  input: TemplateInput;
  preview: { widthPx: number; isExact: boolean } | null;
}

export interface Drawing {
  bytes: Uint8Array;
  widthPx: number;
  heightPx: number;
  contrast: number;
}

const encodePreview = (ctx: SKRSContext2D, widthPx: number) =>
  rawOf(ctx).resize(within(widthPx)).webp(WEBP).toBuffer({ resolveWithObject: true });

/** Takes up to a third of a second of CPU without a pause, so it runs in a thread of its own (template-thread.ts). */
export const drawImage = async ({ input, preview }: DrawingRequest): Promise<Drawing> => {
  const ctx = await paintImage(input.image, preview && !preview.isExact ? preview.widthPx : undefined);
  const contrast = await drawOn(ctx, input);
  if (preview) {
    const { data, info } = await encodePreview(ctx, preview.widthPx);
    return { bytes: data, widthPx: info.width, heightPx: info.height, contrast };
  }
  const pixels = await rawOf(ctx).raw().toBuffer({ resolveWithObject: true });
  const bytes = await encodeWithText(pixels, input.image);
  return { bytes, widthPx: pixels.info.width, heightPx: pixels.info.height, contrast };
};
