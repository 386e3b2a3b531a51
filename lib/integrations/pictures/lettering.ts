import "server-only";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";

/** A cut of the look's two families. */
export type Face = "roman" | "italic" | "mark" | "sans";

const SUBSETS = ["latin", "latin-ext"] as const;
const ROMAN = "CardRoman";
const ITALIC = "CardItalic";
const SANS = "CardSans";

/** Family, axes and tracking (of the size) of each face; display sizes need the optical axis. */
const FACES: Record<Face, { family: string; axes: string; tracking: number }> = {
  roman: { family: ROMAN, axes: "'opsz' 72, 'wght' 340", tracking: -0.032 },
  italic: { family: ITALIC, axes: "'opsz' 72, 'wght' 340", tracking: -0.04 },
  mark: { family: ROMAN, axes: "'opsz' 32, 'wght' 500", tracking: -0.028 },
  sans: { family: SANS, axes: "'wght' 500", tracking: 0 },
};

/** Resolved when called: a bundler that read the path would copy the packages. */
const fontFile = (family: string, file: string): string =>
  join(process.cwd(), "node_modules", "@fontsource-variable", family, "files", file);

const register = (path: string, family: string): void => {
  if (GlobalFonts.has(family)) return;
  if (!GlobalFonts.register(readFileSync(path), family)) throw new Error(`The font ${path} cannot be read.`);
};

/** Registers the faces once in this process. */
export const registerFaces = (): void => {
  for (const subset of SUBSETS) {
    register(fontFile("newsreader", `newsreader-${subset}-opsz-normal.woff2`), `${ROMAN}-${subset}`);
    register(fontFile("newsreader", `newsreader-${subset}-opsz-italic.woff2`), `${ITALIC}-${subset}`);
    register(fontFile("hanken-grotesk", `hanken-grotesk-${subset}-wght-normal.woff2`), `${SANS}-${subset}`);
  }
};

/** Makes a context write in a face at a size. */
export const setFace = (ctx: SKRSContext2D, face: Face, sizePx: number): void => {
  const { family, axes, tracking } = FACES[face];
  ctx.font = `${sizePx}px ${SUBSETS.map((subset) => `${family}-${subset}`).join(", ")}`;
  ctx.fontVariationSettings = axes;
  ctx.letterSpacing = `${tracking * sizePx}px`;
  ctx.textBaseline = "alphabetic";
};
