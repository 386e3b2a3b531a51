import "server-only";
import { createCanvas, type Image, type SKRSContext2D } from "@napi-rs/canvas";
import { contrastOf, contrastOfLuminances, luminanceOf, luminanceOfParts, toRgb } from "#lib/core/contrast.ts";
import type { BrandColors } from "#lib/core/images.ts";
import type { Pairing } from "./fonts.ts";
import { type FittedText, layOutText, type TextBlock, type TextBounds, type Underlay } from "./text-fitting.ts";

/** What a template works with. `ctx` already shows the image. */
export interface TemplateCanvas {
  ctx: SKRSContext2D;
  widthPx: number;
  heightPx: number;
  /** A thousandth of a portrait image's width; less for landscape images, so that text fits. */
  unit: number;
  colors: BrandColors;
  pairing: Pairing;
  text: string;
  signature: string;
  logo: Image | null;
}

interface Composition {
  textBlocks: TextBlock[];
  underlay?: Underlay;
}

export type Template = (canvas: TemplateCanvas) => Composition;

export const unitOf = (widthPx: number, heightPx: number): number => Math.min(widthPx, heightPx * 0.8) / 1_000;

/** A short text may be much larger than a sentence. */
const growthOf = (text: string): number => {
  const letters = [...text].length;
  return letters <= 9 ? 1.75 : letters <= 16 ? 1.4 : letters <= 28 ? 1.12 : 1;
};

/** Lays out the text as large as the bounds allow. Font sizes are in units, the bounds in pixels. */
export const fitTitle = (
  { ctx, text, pairing, unit }: TemplateCanvas,
  bounds: Pick<TextBounds, "widthPx" | "heightPx"> & { largest: number; smallest?: number; linesMax: number },
): FittedText =>
  layOutText(ctx, text, pairing.text, {
    widthPx: Math.max(1, bounds.widthPx),
    heightPx: Math.max(1, bounds.heightPx),
    largestPx: bounds.largest * growthOf(text) * unit,
    smallestPx: (bounds.smallest ?? 38) * unit,
    linesMax: bounds.linesMax,
  });

export const fitSignature = (
  { ctx, signature, pairing, unit }: TemplateCanvas,
  widthPx: number,
  size = 30,
): FittedText | null =>
  signature === ""
    ? null
    : layOutText(ctx, signature, pairing.signature, {
        widthPx: Math.max(1, widthPx),
        heightPx: size * unit * 3,
        largestPx: size * unit,
        smallestPx: size * unit * 0.55,
        linesMax: 1,
      });

export const fillRound = (
  ctx: SKRSContext2D,
  fill: string,
  box: { x: number; y: number; width: number; height: number },
  radius = 0,
): void => {
  ctx.fillStyle = fill;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, Math.max(0, box.width), Math.max(0, box.height), Math.max(0, radius));
  ctx.fill();
};

const DARK = "#141c17";
const LIGHT = "#fffdf8";

/** Inks in order of preference, with our own dark and light last. */
export const inksOf = ({ panel, words, accent }: BrandColors, first: keyof BrandColors): string[] => {
  const all = { panel, words, accent };
  return [all[first], words, panel, DARK, LIGHT];
};

export const drawWithShadow = ({ ctx, unit }: TemplateCanvas, paint: () => void): void => {
  ctx.save();
  ctx.shadowColor = "rgba(18, 28, 23, 0.3)";
  ctx.shadowBlur = 34 * unit;
  ctx.shadowOffsetX = 5 * unit;
  ctx.shadowOffsetY = 14 * unit;
  paint();
  ctx.restore();
};

const PROBE_PX = 24;

export const isLight = (
  { ctx }: TemplateCanvas,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): boolean => {
  const probe = createCanvas(PROBE_PX, PROBE_PX).getContext("2d");
  probe.drawImage(ctx.canvas, x, y, width, height, 0, 0, PROBE_PX, PROBE_PX);
  const { data } = probe.getImageData(0, 0, PROBE_PX, PROBE_PX);
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) {
    sum += luminanceOfParts(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
  }
  return sum / PROBE_PX ** 2 > 0.36;
};

export const withAlpha = (hex: string, alpha: number): string =>
  `rgba(${toRgb(hex).join(", ")}, ${Math.min(1, Math.max(0, alpha)).toFixed(3)})`;

export const darkOf = ({ panel, words, accent }: BrandColors): string => {
  const [darkest = DARK] = [panel, words, accent].toSorted((a, b) => luminanceOf(a) - luminanceOf(b));
  return luminanceOf(darkest) < 0.09 ? darkest : DARK;
};

export const lightOf = ({ panel, words, accent }: BrandColors): string => {
  const [lightest = LIGHT] = [panel, words, accent].toSorted((a, b) => luminanceOf(b) - luminanceOf(a));
  return luminanceOf(lightest) > 0.7 ? lightest : LIGHT;
};

export const ruleColor = ({ accent, words }: BrandColors, ground: string): string =>
  contrastOf(accent, ground) >= 1.6 ? accent : words;

/** The largest box of a logo; `align` says which edge is at `x`. */
interface LogoPlace {
  x: number;
  y: number;
  widthPx: number;
  heightPx: number;
  align: "left" | "center" | "right";
}

const LOGO_PROBE_PX = 32;
/** Below this contrast to the image, the logo gets a plate. */
const LOGO_CONTRAST = 2;
/** Padding of that plate, as a share of its shorter side. */
const PLATE_PAD = 0.14;

const meanLuminance = (ctx: SKRSContext2D): number => {
  const { data } = ctx.getImageData(0, 0, LOGO_PROBE_PX, LOGO_PROBE_PX);
  let [sum, weight] = [0, 0];
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3] ?? 0;
    sum += alpha * luminanceOfParts(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
    weight += alpha;
  }
  return weight === 0 ? 1 : sum / weight;
};

type Box = { x: number; y: number; width: number; height: number };

const luminanceOfLogo = (logo: Image): number => {
  const probe = createCanvas(LOGO_PROBE_PX, LOGO_PROBE_PX).getContext("2d");
  probe.drawImage(logo, 0, 0, LOGO_PROBE_PX, LOGO_PROBE_PX);
  return meanLuminance(probe);
};

const luminanceBelow = (ctx: SKRSContext2D, { x, y, width, height }: Box): number => {
  const probe = createCanvas(LOGO_PROBE_PX, LOGO_PROBE_PX).getContext("2d");
  probe.drawImage(ctx.canvas, x, y, width, height, 0, 0, LOGO_PROBE_PX, LOGO_PROBE_PX);
  return meanLuminance(probe);
};

export const logoSize = ({ logo }: TemplateCanvas, bounds: { widthPx: number; heightPx: number }) => {
  if (!logo) return { width: 0, height: 0 };
  const scale = Math.min(bounds.widthPx / logo.width, bounds.heightPx / logo.height);
  return { width: logo.width * scale, height: logo.height * scale };
};

/** Draws the logo if there is one, a little smaller on a plate where it would be hard to see. */
export const drawLogo = (canvas: TemplateCanvas, place: LogoPlace): void => {
  const { ctx, logo, unit } = canvas;
  if (!logo) return;
  const { width, height } = logoSize(canvas, place);
  const shift = { left: 0, center: width / 2, right: width }[place.align];
  const box = { x: place.x - shift, y: place.y, width, height };
  const own = luminanceOfLogo(logo);
  const needsPlate = contrastOfLuminances(own, luminanceBelow(ctx, box)) < LOGO_CONTRAST;
  if (needsPlate) fillRound(ctx, own > 0.3 ? "#141c17" : "#fffdf8", box, Math.min(10 * unit, height * 0.2));
  const pad = needsPlate ? Math.min(width, height) * PLATE_PAD : 0;
  ctx.drawImage(logo, box.x + pad, box.y + pad, width - 2 * pad, height - 2 * pad);
};
