import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import type { Point, Sheet } from "./sheet.ts";

const TITLE_FAMILY = "PosterTitle";
const ITALIC_FAMILY = "PosterItalic";
const CAPTION_FAMILY = "PosterCaption";
const SUBSETS = ["latin", "latin-ext", "vietnamese"] as const;
const TRACKING = -0.022;
/** Of the letter size: from a line's top to its foot, and from line to line. */
const ASCENT = 0.78;
const LEADING = 0.95;

/** Registers the poster fonts once per thread, subset by subset so that accents of many languages draw. */
export function registerFonts(): void {
  const require = createRequire(import.meta.url);
  const folderOf = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), "files");
  const newsreader = folderOf("@fontsource-variable/newsreader");
  const hanken = folderOf("@fontsource-variable/hanken-grotesk");
  for (const subset of SUBSETS) {
    register(join(newsreader, `newsreader-${subset}-opsz-normal.woff2`), `${TITLE_FAMILY}-${subset}`);
    register(join(newsreader, `newsreader-${subset}-opsz-italic.woff2`), `${ITALIC_FAMILY}-${subset}`);
    register(join(hanken, `hanken-grotesk-${subset}-wght-normal.woff2`), `${CAPTION_FAMILY}-${subset}`);
  }
}

function register(path: string, family: string): void {
  if (GlobalFonts.has(family)) return;
  if (!GlobalFonts.register(readFileSync(path), family)) throw new Error(`The poster font ${path} cannot be read`);
}

function setFont(ctx: SKRSContext2D, family: string, size: number, axes: string, tracking: number): void {
  ctx.font = `${size}px ${SUBSETS.map((subset) => `${family}-${subset}`).join(", ")}`;
  ctx.fontVariationSettings = axes;
  ctx.letterSpacing = `${tracking}px`;
  ctx.textBaseline = "alphabetic";
}

/** A cut of the title's family. */
export type Face = { style: "title" | "italic"; weight: number };

function setFace(ctx: SKRSContext2D, { style, weight }: Face, size: number, tracking: number): void {
  const family = style === "italic" ? ITALIC_FAMILY : TITLE_FAMILY;
  setFont(ctx, family, size, `'opsz' 72, 'wght' ${weight}`, tracking);
}

function setTitleFont(ctx: SKRSContext2D, size: number, weight: number): void {
  setFace(ctx, { style: "title", weight }, size, size * TRACKING);
}

type TitleFit = { lines: readonly string[]; size: number; maxWidth: number; weight: number };

/** The size at which a headline fits: a short single line grows a little, a wide one shrinks. */
export function fitTitle({ ctx }: Sheet, { lines, size, maxWidth, weight }: TitleFit): number {
  const wanted = lines.length === 1 ? size * 1.16 : size;
  setTitleFont(ctx, wanted, weight);
  const widest = Math.max(...lines.map((line) => ctx.measureText(line).width));
  return widest > maxWidth ? (wanted * maxWidth) / widest : wanted;
}

/** From the top of a headline of this fitted size to the foot of its last line. */
export function titleHeight(lines: number, size: number): number {
  return size * (ASCENT + (lines - 1) * LEADING);
}

export type Title = TitleFit & {
  /** The top of the first line, by the left edge or the middle. */
  at: Point;
  fill: string;
  align: "left" | "center";
};

/** Draws a headline of one or two lines, fitted to its width. */
export function drawTitle(sheet: Sheet, title: Title): void {
  const { ctx } = sheet;
  const size = fitTitle(sheet, title);
  setTitleFont(ctx, size, title.weight);
  ctx.fillStyle = title.fill;
  title.lines.forEach((line, index) => {
    const indent = title.align === "center" ? ctx.measureText(line).width / 2 : 0;
    ctx.fillText(line, title.at[0] - indent, title.at[1] + size * (ASCENT + index * LEADING));
  });
}

type Line = { text: string; face: Face; size: number; tracking: number };

/** How far the ink of a line reaches from its origin, each way. */
export type Ink = { left: number; right: number; above: number; below: number };

/** Measures the ink of one line: italics lean out of their width, and some letters hang below. */
export function inkOf({ ctx }: Sheet, { text, face, size, tracking }: Line): Ink {
  setFace(ctx, face, size, tracking);
  const measured = ctx.measureText(text);
  return {
    left: measured.actualBoundingBoxLeft,
    right: measured.actualBoundingBoxRight,
    above: measured.actualBoundingBoxAscent,
    below: measured.actualBoundingBoxDescent,
  };
}

/** Draws one line of any face on its baseline. */
export function drawLine({ ctx }: Sheet, line: Line & { at: Point; fill: string; align: "left" | "right" }): void {
  setFace(ctx, line.face, line.size, line.tracking);
  const indent = line.align === "right" ? ctx.measureText(line.text).width : 0;
  ctx.fillStyle = line.fill;
  ctx.fillText(line.text, line.at[0] - indent, line.at[1]);
}

const INDENTS = { left: 0, center: 0.5, right: 1 } as const;

export type Caption = { text: string; at: Point; maxWidth: number; fill: string; align: keyof typeof INDENTS };

/** Draws the small capitals: 28 units, widely tracked, shrunk when the text is long. */
export function drawCaption({ ctx }: Sheet, caption: Caption): void {
  const text = caption.text.toUpperCase();
  const set = (size: number) => setFont(ctx, CAPTION_FAMILY, size, "'wght' 600", size * 0.1214);
  set(28);
  const width = ctx.measureText(text).width;
  set(width > caption.maxWidth ? (28 * caption.maxWidth) / width : 28);
  ctx.fillStyle = caption.fill;
  const indent = ctx.measureText(text).width * INDENTS[caption.align];
  ctx.fillText(text, caption.at[0] - indent, caption.at[1]);
}
