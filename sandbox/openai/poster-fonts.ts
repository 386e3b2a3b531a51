import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";

const TITLE_FAMILY = "PosterTitle";
const CAPTION_FAMILY = "PosterCaption";
/** Registered separately, so that accents of many languages render. */
const SUBSETS = ["latin", "latin-ext", "vietnamese"] as const;
const TITLE_TRACKING = -0.022;
const CAPTION_TRACKING = 0.1214;

let isRegistered = false;

function registerFonts(): void {
  if (isRegistered) return;
  const require = createRequire(import.meta.url);
  const folderOf = (name: string) => join(dirname(require.resolve(`${name}/package.json`)), "files");
  const newsreader = folderOf("@fontsource-variable/newsreader");
  const hanken = folderOf("@fontsource-variable/hanken-grotesk");
  for (const subset of SUBSETS) {
    register(join(newsreader, `newsreader-${subset}-opsz-normal.woff2`), `${TITLE_FAMILY}-${subset}`);
    register(join(hanken, `hanken-grotesk-${subset}-wght-normal.woff2`), `${CAPTION_FAMILY}-${subset}`);
  }
  isRegistered = true;
}

function register(path: string, family: string): void {
  if (!GlobalFonts.register(readFileSync(path), family)) throw new Error(`The poster font ${path} cannot be read`);
}

function setFont(ctx: SKRSContext2D, family: string, size: number, axes: string, tracking: number): void {
  registerFonts();
  ctx.font = `${size}px ${SUBSETS.map((subset) => `${family}-${subset}`).join(", ")}`;
  ctx.fontVariationSettings = axes;
  ctx.letterSpacing = `${size * tracking}px`;
  ctx.textBaseline = "alphabetic";
}

export function setTitleFont(ctx: SKRSContext2D, size: number, weight: number): void {
  setFont(ctx, TITLE_FAMILY, size, `'opsz' 72, 'wght' ${weight}`, TITLE_TRACKING);
}

/** The widely tracked sans serif of the caption. */
export function setCaptionFont(ctx: SKRSContext2D, size: number): void {
  setFont(ctx, CAPTION_FAMILY, size, "'wght' 600", CAPTION_TRACKING);
}
