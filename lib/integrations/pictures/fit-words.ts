import "server-only";
import type { SKRSContext2D } from "@napi-rs/canvas";
import { inStyle, setStyle, type TypeStyle } from "./pairings.ts";

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
export const DESCENT = 0.24;
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
export interface Place {
  xPx: number;
  topPx: number;
  align: "left" | "center";
}

/** Writes fitted words in the context's present fill. */
export const writeWords = (ctx: SKRSContext2D, words: FittedWords, { xPx, topPx, align }: Place): void => {
  const { sizePx, style, lines, ascent } = words;
  setStyle(ctx, style, sizePx);
  lines.forEach(({ text, widthPx }, row) => {
    const x = align === "left" ? xPx : xPx - widthPx / 2;
    ctx.fillText(text, x, topPx + sizePx * (ascent + row * style.leading));
  });
};
