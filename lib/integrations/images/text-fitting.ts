import "server-only";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { CONTRAST_MIN, contrastOfLuminances, luminanceOf, luminanceOfParts } from "#lib/core/contrast.ts";
import { inStyle, setStyle, type TypeStyle } from "./fonts.ts";

export interface FittedText {
  lines: readonly { text: string; widthPx: number }[];
  style: TypeStyle;
  sizePx: number;
  widthPx: number;
  heightPx: number;
  ascent: number;
}

export interface TextBounds {
  widthPx: number;
  heightPx: number;
  largestPx: number;
  smallestPx: number;
  linesMax: number;
}

/** Cap height above the first baseline and depth below the last one, as shares of the size. */
export const ASCENT = 0.74;
const DESCENT = 0.24;
/** Letters taller than this carry diacritics and need extra space. */
const TALL = 0.8;
/** Below this share of the largest size, very long words are hyphenated, so that one of them does not shrink the whole text. */
const CUT = { share: 0.6, graphemes: 21 };

/** Widths scale with the size, so they are measured once, at this size. */
const MEASURE_PX = 100;
const STEP = 0.94;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

type Measure = (text: string) => number;

const measureIn = (ctx: SKRSContext2D, style: TypeStyle): Measure => {
  const known = new Map<string, number>();
  return (text) => {
    const cached = known.get(text);
    if (cached !== undefined) return cached;
    setStyle(ctx, style, MEASURE_PX);
    const width = text === "" ? 0 : ctx.measureText(text).width / MEASURE_PX - style.tracking;
    known.set(text, width);
    return width;
  };
};

const graphemes = (word: string): string[] => [...segmenter.segment(word)].map(({ segment }) => segment);

const pieces = (parts: readonly string[], count: number): string[] => {
  const length = Math.ceil(parts.length / count);
  return Array.from({ length: Math.ceil(parts.length / length) }, (_, n) => {
    const piece = parts.slice(n * length, (n + 1) * length).join("");
    return (n + 1) * length < parts.length ? `${piece}-` : piece;
  });
};

const cut = (word: string, width: number, measure: Measure): string[] => {
  if (measure(word) <= width) return [word];
  const parts = graphemes(word);
  for (let count = 2; count < parts.length; count += 1) {
    const tried = pieces(parts, count);
    if (tried.every((piece) => measure(piece) <= width)) return tried;
  }
  return parts;
};

const wrap = (words: readonly string[], width: number, measure: Measure): string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (measure(longer) <= width) line = longer;
    else {
      if (line !== "") lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
};

/** Balances lines by finding the narrowest width that needs no additional line. */
const even = (words: readonly string[], lines: string[], width: number, measure: Measure): string[] => {
  let [low, high, best] = [Math.max(...words.map(measure)), width, lines];
  for (let tries = 0; tries < 12 && high > low; tries += 1) {
    const middle = (low + high) / 2;
    const tried = wrap(words, middle, measure);
    if (tried.length > lines.length) low = middle;
    else [high, best] = [middle, tried];
  }
  return best;
};

const ascentOf = (ctx: SKRSContext2D, text: string, style: TypeStyle): number => {
  setStyle(ctx, style, MEASURE_PX);
  const ascent = ctx.measureText(text).actualBoundingBoxAscent / MEASURE_PX;
  return ascent > TALL ? ascent : ASCENT;
};

/** Below the smallest size words are hyphenated, and the text shrinks until it fits. */
export const layOutText = (ctx: SKRSContext2D, text: string, style: TypeStyle, bounds: TextBounds): FittedText => {
  const measure = measureIn(ctx, style);
  const written = inStyle(text, style);
  const words = written.split(/\s+/).filter(Boolean);
  const ascent = ascentOf(ctx, written, style);
  const heightFor = (count: number) => sizePx * (ascent + DESCENT + style.leading * (count - 1));
  let sizePx = bounds.largestPx;
  for (;;) {
    const width = bounds.widthPx / sizePx;
    const isSmall = sizePx <= bounds.smallestPx;
    const isCut = (word: string) =>
      isSmall || (sizePx <= bounds.largestPx * CUT.share && graphemes(word).length >= CUT.graphemes);
    const whole = words.flatMap((word) => (isCut(word) ? cut(word, width, measure) : [word]));
    const lines = wrap(whole, width, measure);
    const fits =
      lines.every((line) => measure(line) <= width) &&
      (isSmall || lines.length <= bounds.linesMax) &&
      heightFor(lines.length) <= bounds.heightPx;
    if (fits || sizePx < 1) {
      const set = even(whole, lines, width, measure).map((line) => ({ text: line, widthPx: measure(line) * sizePx }));
      const widthPx = Math.max(...set.map((line) => line.widthPx));
      return { lines: set, style, sizePx, widthPx, heightPx: heightFor(set.length), ascent };
    }
    sizePx *= STEP;
  }
};

/** `xPx` is the left edge or the center, depending on `align`. */
interface TextPosition {
  xPx: number;
  topPx: number;
  align: "left" | "center";
}

const drawText = (ctx: SKRSContext2D, fitted: FittedText, { xPx, topPx, align }: TextPosition): void => {
  const { sizePx, style, lines, ascent } = fitted;
  setStyle(ctx, style, sizePx);
  lines.forEach(({ text, widthPx }, row) => {
    const x = align === "left" ? xPx : xPx - widthPx / 2;
    ctx.fillText(text, x, topPx + sizePx * (ascent + row * style.leading));
  });
};

/** `inks` are in order of preference; `plate` is the color of a plate below the text, if it needs one. */
export interface TextBlock {
  text: FittedText;
  position: TextPosition;
  inks: readonly string[];
  plate: string;
}

/** Paints below all text of a template, with a strength from 0 to 1. */
export type Underlay = (strength: number) => void;

/** A margin above the minimum, because compression changes pixels. */
const TARGET_CONTRAST = CONTRAST_MIN + 0.2;
const STRENGTHS = [0, 0.2, 0.4, 0.6, 0.75, 0.9, 1];
const LAST_RESORTS = ["#000000", "#ffffff"];

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const boxOf = (ctx: SKRSContext2D, { text, position }: TextBlock): Box => {
  const { width, height } = ctx.canvas;
  const margin = text.sizePx * 0.4 + 2;
  const left = position.align === "left" ? position.xPx : position.xPx - text.widthPx / 2;
  const x = Math.max(0, Math.floor(left - margin));
  const y = Math.max(0, Math.floor(position.topPx - margin));
  const right = Math.min(width, Math.ceil(left + text.widthPx + margin));
  const bottom = Math.min(height, Math.ceil(position.topPx + text.heightPx + margin));
  return { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
};

/** One byte per pixel, zero where no letter covers or touches it. */
const maskOf = ({ text, position }: TextBlock, box: Box): Uint8Array => {
  const canvas = createCanvas(box.width, box.height);
  const ctx = canvas.getContext("2d");
  const rim = Math.max(2, text.sizePx * 0.03);
  for (const [right, down] of [
    [0, 0],
    [rim, 0],
    [-rim, 0],
    [0, rim],
    [0, -rim],
  ] as const) {
    drawText(ctx, text, { ...position, xPx: position.xPx - box.x + right, topPx: position.topPx - box.y + down });
  }
  const { data } = ctx.getImageData(0, 0, box.width, box.height);
  const mask = new Uint8Array(box.width * box.height);
  for (let at = 0; at < mask.length; at += 1) mask[at] = data[at * 4 + 3] ?? 0;
  return mask;
};

const rangeBelow = (ctx: SKRSContext2D, box: Box, mask: Uint8Array): { low: number; high: number } => {
  const { data } = ctx.getImageData(box.x, box.y, box.width, box.height);
  let [low, high] = [1, 0];
  for (let at = 0; at < mask.length; at += 1) {
    if (mask[at] === 0) continue;
    const luminance = luminanceOfParts(data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0);
    if (luminance < low) low = luminance;
    if (luminance > high) high = luminance;
  }
  return low > high ? { low: 0, high: 0 } : { low, high };
};

/** The lowest contrast of an ink to the pixels; 1 when it lies between the darkest and the lightest. */
const contrastTo = (ink: string, { low, high }: { low: number; high: number }): number => {
  const own = luminanceOf(ink);
  if (own > low && own < high) return 1;
  return Math.min(contrastOfLuminances(own, low), contrastOfLuminances(own, high));
};

interface Choice {
  ink: string;
  contrast: number;
}

interface MeasuredBlock {
  block: TextBlock;
  box: Box;
  mask: Uint8Array;
}

const drawPlate = (ctx: SKRSContext2D, { block, box }: MeasuredBlock, color: string): void => {
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.width, box.height, block.text.sizePx * 0.12);
  ctx.fill();
};

const copyOf = (ctx: SKRSContext2D) => {
  const copy = createCanvas(ctx.canvas.width, ctx.canvas.height);
  copy.getContext("2d").drawImage(ctx.canvas, 0, 0);
  return copy;
};

const chooseInk = (ctx: SKRSContext2D, { block, box, mask }: MeasuredBlock): Choice | null => {
  const range = rangeBelow(ctx, box, mask);
  const choices = block.inks.map((ink) => ({ ink, contrast: contrastTo(ink, range) }));
  return choices.find(({ contrast }) => contrast >= TARGET_CONTRAST) ?? null;
};

const paintUnderlay = (ctx: SKRSContext2D, measured: readonly MeasuredBlock[], underlay: Underlay): void => {
  const before = copyOf(ctx);
  for (const strength of STRENGTHS) {
    ctx.drawImage(before, 0, 0);
    underlay(strength);
    if (measured.every((one) => chooseInk(ctx, one) !== null)) return;
  }
};

const bestInk = (ctx: SKRSContext2D, measured: MeasuredBlock): Choice => {
  const found = chooseInk(ctx, measured);
  if (found) return found;
  const range = rangeBelow(ctx, measured.box, measured.mask);
  const [best] = LAST_RESORTS.map((ink) => ({ ink, contrast: contrastTo(ink, range) })).toSorted(
    (a, b) => b.contrast - a.contrast,
  );
  return best ?? { ink: "#000000", contrast: 1 };
};

/** Chooses legible inks: on the image, else on plates, else on identical plates, where black or white always works. */
const chooseInks = (ctx: SKRSContext2D, measured: readonly MeasuredBlock[]): Choice[] => {
  for (const one of measured) if (!chooseInk(ctx, one)) drawPlate(ctx, one, one.block.plate);
  const choices = measured.map((one) => bestInk(ctx, one));
  if (choices.every(({ contrast }) => contrast >= CONTRAST_MIN)) return choices;
  const alike = measured[0]?.block.plate ?? "#ffffff";
  for (const one of measured) drawPlate(ctx, one, alike);
  return measured.map((one) => bestInk(ctx, one));
};

/** Contrast 4.5 to every pixel touched: by ink, else underlay, else plates. @returns the lowest; 21 without text */
export const drawLegibly = (ctx: SKRSContext2D, textBlocks: readonly TextBlock[], underlay?: Underlay): number => {
  const measured = textBlocks.map((block) => {
    const box = boxOf(ctx, block);
    return { block, box, mask: maskOf(block, box) };
  });
  if (underlay) paintUnderlay(ctx, measured, underlay);
  const choices = chooseInks(ctx, measured);
  textBlocks.forEach(({ text, position }, index) => {
    ctx.fillStyle = choices[index]?.ink ?? "#000000";
    drawText(ctx, text, position);
  });
  return Math.min(21, ...choices.map(({ contrast }) => contrast));
};
