import "server-only";
import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { CONTRAST_MIN, contrastOfLuminances, luminanceOf, luminanceOfParts } from "#lib/core/contrast.ts";
import { type FittedWords, type Place, writeWords } from "./fit-words.ts";

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
