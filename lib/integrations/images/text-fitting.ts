import "server-only";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { CONTRAST_MIN, contrastOfLuminances, luminanceOf, luminanceOfParts } from "#lib/core/contrast.ts";
import { inStyle, setStyle, type TypeStyle } from "./fonts.ts";

/** Words that fit: lines from the first, each with its width, in one size. */
export interface FittedWords {
  lines: readonly { text: string; widthPx: number }[];
  style: TypeStyle;
  sizePx: number;
  widthPx: number;
  heightPx: number;
  /** Of the size: how far the tallest letters stand above the first baseline. */
  ascent: number;
}

export interface Room {
  widthPx: number;
  heightPx: number;
  largestPx: number;
  smallestPx: number;
  linesMax: number;
}

/** Of the size: how far capitals stand above the first baseline, and letters hang below the last. */
export const ASCENT = 0.74;
const DESCENT = 0.24;
/** Letters higher than this carry marks, and get room for them. */
const TALL = 0.8;
/** Of the largest size: where words of so many letters are cut, so that one of them does not make all of them tiny. */
const CUT = { share: 0.6, letters: 21 };

/** Letters and tracking grow with the size: widths are measured once, at this one. */
const MEASURE_PX = 100;
const STEP = 0.94;
const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

type Measure = (text: string) => number;

/** Width of a text for each pixel of size; the tracking behind the last letter is none. */
const measureIn = (ctx: SKRSContext2D, style: TypeStyle): Measure => {
  const known = new Map<string, number>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    setStyle(ctx, style, MEASURE_PX);
    const width = text === "" ? 0 : ctx.measureText(text).width / MEASURE_PX - style.tracking;
    known.set(text, width);
    return width;
  };
};

const graphemes = (word: string): string[] => [...letters.segment(word)].map(({ segment }) => segment);

/** So many pieces of even length, with a hyphen behind all but the last. */
const pieces = (parts: readonly string[], count: number): string[] => {
  const length = Math.ceil(parts.length / count);
  return Array.from({ length: Math.ceil(parts.length / length) }, (_, n) => {
    const piece = parts.slice(n * length, (n + 1) * length).join("");
    return (n + 1) * length < parts.length ? `${piece}-` : piece;
  });
};

/** A word that is wider than a line, cut into the fewest pieces that are not. */
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

/** The same number of lines, as even as they get: the narrowest width that still holds them. */
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

/** How far the letters of a text stand above their baseline, of the size. */
const ascentOf = (ctx: SKRSContext2D, text: string, style: TypeStyle): number => {
  setStyle(ctx, style, MEASURE_PX);
  const ascent = ctx.measureText(text).actualBoundingBoxAscent / MEASURE_PX;
  return ascent > TALL ? ascent : ASCENT;
};

/**
 * The largest letters, down to the smallest, in which words fit a room with lines of even length. Below that words are cut
 * (very long ones before), and then the letters shrink on until everything is on the picture.
 */
export const fitWords = (ctx: SKRSContext2D, text: string, style: TypeStyle, room: Room): FittedWords => {
  const measure = measureIn(ctx, style);
  const written = inStyle(text, style);
  const words = written.split(/\s+/).filter(Boolean);
  const ascent = ascentOf(ctx, written, style);
  const heightOf = (count: number) => sizePx * (ascent + DESCENT + style.leading * (count - 1));
  let sizePx = room.largestPx;
  for (;;) {
    const width = room.widthPx / sizePx;
    const isSmall = sizePx <= room.smallestPx;
    const isCut = (word: string) =>
      isSmall || (sizePx <= room.largestPx * CUT.share && graphemes(word).length >= CUT.letters);
    const whole = words.flatMap((word) => (isCut(word) ? cut(word, width, measure) : [word]));
    const lines = wrap(whole, width, measure);
    const fits =
      lines.every((line) => measure(line) <= width) &&
      (isSmall || lines.length <= room.linesMax) &&
      heightOf(lines.length) <= room.heightPx;
    if (fits || sizePx < 1) {
      const set = even(whole, lines, width, measure).map((line) => ({ text: line, widthPx: measure(line) * sizePx }));
      const widthPx = Math.max(...set.map((line) => line.widthPx));
      return { lines: set, style, sizePx, widthPx, heightPx: heightOf(set.length), ascent };
    }
    sizePx *= STEP;
  }
};

/** Where fitted words stand: their top, and the left edge or the middle. */
interface Place {
  xPx: number;
  topPx: number;
  align: "left" | "center";
}

/** Writes fitted words in the context's present fill. */
const writeWords = (ctx: SKRSContext2D, words: FittedWords, { xPx, topPx, align }: Place): void => {
  const { sizePx, style, lines, ascent } = words;
  setStyle(ctx, style, sizePx);
  lines.forEach(({ text, widthPx }, row) => {
    const x = align === "left" ? xPx : xPx - widthPx / 2;
    ctx.fillText(text, x, topPx + sizePx * (ascent + row * style.leading));
  });
};

/** What a template wants written: the colours it prefers, first the best, and what a plate below would be made of. */
export interface Writing {
  words: FittedWords;
  place: Place;
  inks: readonly string[];
  plate: string;
}

/** Paints below all writings of a template, stronger with each step from 0 to 1. */
export type Help = (strength: number) => void;

/** A little above the floor: compression moves pixels. */
const AIMED = CONTRAST_MIN + 0.2;
const STRENGTHS = [0, 0.2, 0.4, 0.6, 0.75, 0.9, 1];
const LAST_RESORTS = ["#000000", "#ffffff"];

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where letters and what surrounds them may be, on the canvas. */
const boxOf = (ctx: SKRSContext2D, { words, place }: Writing): Box => {
  const { width, height } = ctx.canvas;
  const margin = words.sizePx * 0.4 + 2;
  const left = place.align === "left" ? place.xPx : place.xPx - words.widthPx / 2;
  const x = Math.max(0, Math.floor(left - margin));
  const y = Math.max(0, Math.floor(place.topPx - margin));
  const right = Math.min(width, Math.ceil(left + words.widthPx + margin));
  const bottom = Math.min(height, Math.ceil(place.topPx + words.heightPx + margin));
  return { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) };
};

/** The pixels that letters cover or touch: one byte each, zero for the others. */
const maskOf = ({ words, place }: Writing, box: Box): Uint8Array => {
  const canvas = createCanvas(box.width, box.height);
  const ctx = canvas.getContext("2d");
  const rim = Math.max(2, words.sizePx * 0.03);
  for (const [right, down] of [
    [0, 0],
    [rim, 0],
    [-rim, 0],
    [0, rim],
    [0, -rim],
  ] as const) {
    writeWords(ctx, words, { ...place, xPx: place.xPx - box.x + right, topPx: place.topPx - box.y + down });
  }
  const { data } = ctx.getImageData(0, 0, box.width, box.height);
  const mask = new Uint8Array(box.width * box.height);
  for (let at = 0; at < mask.length; at += 1) mask[at] = data[at * 4 + 3] ?? 0;
  return mask;
};

/** The darkest and the lightest of the masked pixels, as luminances. */
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

/** The least contrast that an ink has to any of the pixels; 1 where some are lighter and some darker than it. */
const contrastTo = (ink: string, { low, high }: { low: number; high: number }): number => {
  const own = luminanceOf(ink);
  if (own > low && own < high) return 1;
  return Math.min(contrastOfLuminances(own, low), contrastOfLuminances(own, high));
};

interface Choice {
  ink: string;
  contrast: number;
}

interface Judged {
  writing: Writing;
  box: Box;
  mask: Uint8Array;
}

/** Covers all that letters touch, with round corners where there is room for them. */
const layPlate = (ctx: SKRSContext2D, { writing, box }: Judged, colour: string): void => {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.width, box.height, writing.words.sizePx * 0.12);
  ctx.fill();
};

/** A canvas of the same picture, to go back to. */
const copyOf = (ctx: SKRSContext2D) => {
  const copy = createCanvas(ctx.canvas.width, ctx.canvas.height);
  copy.getContext("2d").drawImage(ctx.canvas, 0, 0);
  return copy;
};

/** The first ink that is legible on what is painted; null where none is. */
const chooseInk = (ctx: SKRSContext2D, { writing, box, mask }: Judged): Choice | null => {
  const range = rangeBelow(ctx, box, mask);
  const choices = writing.inks.map((ink) => ({ ink, contrast: contrastTo(ink, range) }));
  return choices.find(({ contrast }) => contrast >= AIMED) ?? null;
};

/** Paints no more help than all writings need, or all there is. */
const paintHelp = (ctx: SKRSContext2D, judged: readonly Judged[], help: Help): void => {
  const before = copyOf(ctx);
  for (const strength of STRENGTHS) {
    ctx.drawImage(before, 0, 0);
    help(strength);
    if (judged.every((one) => chooseInk(ctx, one) !== null)) return;
  }
};

const bestInk = (ctx: SKRSContext2D, judged: Judged): Choice => {
  const found = chooseInk(ctx, judged);
  if (found) return found;
  const range = rangeBelow(ctx, judged.box, judged.mask);
  const [best] = LAST_RESORTS.map((ink) => ({ ink, contrast: contrastTo(ink, range) })).toSorted(
    (a, b) => b.contrast - a.contrast,
  );
  return best ?? { ink: "#000000", contrast: 1 };
};

/** Inks for all writings: on what is there, else on plates, else on plates that are all alike, where one always is found. */
const settle = (ctx: SKRSContext2D, judged: readonly Judged[]): Choice[] => {
  for (const one of judged) if (!chooseInk(ctx, one)) layPlate(ctx, one, one.writing.plate);
  const choices = judged.map((one) => bestInk(ctx, one));
  if (choices.every(({ contrast }) => contrast >= CONTRAST_MIN)) return choices;
  const alike = judged[0]?.writing.plate ?? "#ffffff";
  for (const one of judged) layPlate(ctx, one, alike);
  return judged.map((one) => bestInk(ctx, one));
};

/**
 * Writes words so that every pixel beneath and beside their letters differs enough from them (at least 4.5): by choosing
 * the ink, else by the template's help, else on plates. @returns the least contrast, as measured; 21 without words.
 */
export const writeLegibly = (ctx: SKRSContext2D, writings: readonly Writing[], help?: Help): number => {
  const judged = writings.map((writing) => {
    const box = boxOf(ctx, writing);
    return { writing, box, mask: maskOf(writing, box) };
  });
  if (help) paintHelp(ctx, judged, help);
  const choices = settle(ctx, judged);
  writings.forEach(({ words, place }, index) => {
    ctx.fillStyle = choices[index]?.ink ?? "#000000";
    writeWords(ctx, words, place);
  });
  return Math.min(21, ...choices.map(({ contrast }) => contrast));
};
