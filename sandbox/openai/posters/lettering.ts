import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import type { Point, Sheet } from "./sheet.ts";

const TITLE_FAMILY = "PosterTitle";
const CAPTION_FAMILY = "PosterCaption";
const SUBSETS = ["latin", "latin-ext", "vietnamese"] as const;
const TRACKING = -0.022;

/** Registers the poster fonts once per thread, subset by subset so that accents of many languages draw. */
export function registerFonts(): void {
  const require = createRequire(import.meta.url);
  const folderOf = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), "files");
  const newsreader = folderOf("@fontsource-variable/newsreader");
  const hanken = folderOf("@fontsource-variable/hanken-grotesk");
  for (const subset of SUBSETS) {
    register(join(newsreader, `newsreader-${subset}-opsz-normal.woff2`), `${TITLE_FAMILY}-${subset}`);
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

function setTitleFont(ctx: SKRSContext2D, size: number, weight: number): void {
  setFont(ctx, TITLE_FAMILY, size, `'opsz' 72, 'wght' ${weight}`, size * TRACKING);
}

export type Title = {
  lines: readonly string[];
  /** The top of the first line, by the left edge or the middle. */
  at: Point;
  size: number;
  maxWidth: number;
  fill: string;
  align: "left" | "center";
  weight: number;
};

/** Draws a headline of one or two lines; a short single line grows a little, a wide one shrinks to fit. */
export function drawTitle({ ctx }: Sheet, title: Title): void {
  const wanted = title.lines.length === 1 ? title.size * 1.16 : title.size;
  setTitleFont(ctx, wanted, title.weight);
  const widest = Math.max(...title.lines.map((line) => ctx.measureText(line).width));
  const size = widest > title.maxWidth ? (wanted * title.maxWidth) / widest : wanted;
  setTitleFont(ctx, size, title.weight);
  ctx.fillStyle = title.fill;
  title.lines.forEach((line, index) => {
    const indent = title.align === "center" ? ctx.measureText(line).width / 2 : 0;
    ctx.fillText(line, title.at[0] - indent, title.at[1] + size * 0.78 + index * size * 0.95);
  });
}

export type Caption = { text: string; at: Point; maxWidth: number; fill: string; align: "left" | "center" };

/** Draws the small capitals at the foot: 28 units, widely tracked, shrunk when the text is long. */
export function drawCaption({ ctx }: Sheet, caption: Caption): void {
  const text = caption.text.toUpperCase();
  const set = (size: number) => setFont(ctx, CAPTION_FAMILY, size, "'wght' 600", size * 0.1214);
  set(28);
  const width = ctx.measureText(text).width;
  set(width > caption.maxWidth ? (28 * caption.maxWidth) / width : 28);
  ctx.fillStyle = caption.fill;
  const indent = caption.align === "center" ? ctx.measureText(text).width / 2 : 0;
  ctx.fillText(text, caption.at[0] - indent, caption.at[1]);
}
