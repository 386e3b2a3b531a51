import "server-only";
import { createCanvas, type Image, type SKRSContext2D } from "@napi-rs/canvas";
import { contrastOf, contrastOfLuminances, luminanceOf, luminanceOfParts, toRgb } from "#lib/core/contrast.ts";
import type { BrandColours } from "#lib/core/images.ts";
import type { Pairing } from "./fonts.ts";
import { type FittedWords, fitWords, type Help, type Room, type Writing } from "./text-fitting.ts";

/** The picture as a template finds it: painted already, with what is to be put on it. */
export interface Sheet {
  ctx: SKRSContext2D;
  widthPx: number;
  heightPx: number;
  /** A thousandth of the width of an upright pin; less on flat pictures, so that words stay on them. */
  unit: number;
  colours: BrandColours;
  pairing: Pairing;
  words: string;
  /** May be empty. */
  signature: string;
  logo: Image | null;
}

/** What is left to write when a template has painted its shapes. */
interface Composed {
  writings: Writing[];
  help?: Help;
}

export type Template = (sheet: Sheet) => Composed;

/** Of a picture so wide and so high. */
export const unitOf = (widthPx: number, heightPx: number): number => Math.min(widthPx, heightPx * 0.8) / 1_000;

/** One word alone may be much larger than a sentence. */
const growthOf = (words: string): number => {
  const letters = [...words].length;
  return letters <= 9 ? 1.75 : letters <= 16 ? 1.4 : letters <= 28 ? 1.12 : 1;
};

/** The words, as large as a room allows. Sizes in units, widths and heights in pixels. */
export const fitTitle = (
  { ctx, words, pairing, unit }: Sheet,
  room: Pick<Room, "widthPx" | "heightPx"> & { largest: number; smallest?: number; linesMax: number },
): FittedWords =>
  fitWords(ctx, words, pairing.words, {
    widthPx: Math.max(1, room.widthPx),
    heightPx: Math.max(1, room.heightPx),
    largestPx: room.largest * growthOf(words) * unit,
    smallestPx: (room.smallest ?? 38) * unit,
    linesMax: room.linesMax,
  });

/** The small line in one line; null when there is none. */
export const fitSignature = (
  { ctx, signature, pairing, unit }: Sheet,
  widthPx: number,
  size = 30,
): FittedWords | null =>
  signature === ""
    ? null
    : fitWords(ctx, signature, pairing.signature, {
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

/** The colours as inks, the first one before the others, and ours for where none of them is legible. */
export const inksOf = ({ panel, words, accent }: BrandColours, first: keyof BrandColours): string[] => {
  const all = { panel, words, accent };
  return [all[first], words, panel, DARK, LIGHT];
};

/** The same with the shadow of paper that lies on the picture; light falls from the upper left. */
export const layPaper = ({ ctx, unit }: Sheet, paint: () => void): void => {
  ctx.save();
  ctx.shadowColor = "rgba(18, 28, 23, 0.3)";
  ctx.shadowBlur = 34 * unit;
  ctx.shadowOffsetX = 5 * unit;
  ctx.shadowOffsetY = 14 * unit;
  paint();
  ctx.restore();
};

const PROBE_PX = 24;

/** Whether a part of the picture is light rather than dark, taken as a whole. */
export const isLight = (
  { ctx }: Sheet,
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

/** A colour with an alpha, as canvases take it. */
export const withAlpha = (hex: string, alpha: number): string =>
  `rgba(${toRgb(hex).join(", ")}, ${Math.min(1, Math.max(0, alpha)).toFixed(3)})`;

/** The darkest of the colours, or ours where none is dark. */
export const darkOf = ({ panel, words, accent }: BrandColours): string => {
  const [darkest = DARK] = [panel, words, accent].toSorted((a, b) => luminanceOf(a) - luminanceOf(b));
  return luminanceOf(darkest) < 0.09 ? darkest : DARK;
};

/** The lightest of the colours, or ours where none is light. */
export const lightOf = ({ panel, words, accent }: BrandColours): string => {
  const [lightest = LIGHT] = [panel, words, accent].toSorted((a, b) => luminanceOf(b) - luminanceOf(a));
  return luminanceOf(lightest) > 0.7 ? lightest : LIGHT;
};

/** A line of the accent, unless it cannot be told from its ground. */
export const ruleColour = ({ accent, words }: BrandColours, ground: string): string =>
  contrastOf(accent, ground) >= 1.6 ? accent : words;

/** Where a logo may stand, at most so large; `align` says which of its edges lies on `x`. */
interface LogoPlace {
  x: number;
  y: number;
  widthPx: number;
  heightPx: number;
  align: "left" | "center" | "right";
}

const LOGO_PROBE_PX = 32;
/** Less than this between logo and ground, and it gets a plate of its own. */
const LOGO_CONTRAST = 2;
/** Of its shorter side: how far the logo stays from the edge of that plate. */
const PLATE_PAD = 0.14;

/** Mean luminance of the pixels that can be seen. */
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

/** Size of a logo within a room, in its own shape. */
export const logoSize = ({ logo }: Sheet, room: { widthPx: number; heightPx: number }) => {
  if (!logo) return { width: 0, height: 0 };
  const scale = Math.min(room.widthPx / logo.width, room.heightPx / logo.height);
  return { width: logo.width * scale, height: logo.height * scale };
};

/** Draws the logo in its place, a little smaller on a plate of its own where it would be lost. Nothing without one. */
export const drawLogo = (sheet: Sheet, place: LogoPlace): void => {
  const { ctx, logo, unit } = sheet;
  if (!logo) return;
  const { width, height } = logoSize(sheet, place);
  const shift = { left: 0, center: width / 2, right: width }[place.align];
  const box = { x: place.x - shift, y: place.y, width, height };
  const own = luminanceOfLogo(logo);
  const isLost = contrastOfLuminances(own, luminanceBelow(ctx, box)) < LOGO_CONTRAST;
  if (isLost) fillRound(ctx, own > 0.3 ? "#141c17" : "#fffdf8", box, Math.min(10 * unit, height * 0.2));
  const pad = isLost ? Math.min(width, height) * PLATE_PAD : 0;
  ctx.drawImage(logo, box.x + pad, box.y + pad, width - 2 * pad, height - 2 * pad);
};
