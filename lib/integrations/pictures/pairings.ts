import "server-only";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import type { FontPairing } from "#lib/core/picture-templates.ts";
import { lettersOf } from "./font-letters.ts";

/** How letters are set: a cut of a family and what is done to it. */
export interface TypeStyle {
  family: "serif" | "italic" | "sans";
  axes: string;
  /** Of the size. */
  tracking: number;
  /** From line to line, of the size. */
  leading: number;
  isCapitals: boolean;
}

export interface Pairing {
  words: TypeStyle;
  signature: TypeStyle;
}

const style = (family: TypeStyle["family"], axes: string, rest: Partial<TypeStyle> = {}): TypeStyle => ({
  family,
  axes,
  tracking: -0.02,
  leading: 1.04,
  isCapitals: false,
  ...rest,
});

const SMALL_CAPITALS = style("sans", "'wght' 600", { tracking: 0.14, leading: 1.3, isCapitals: true });
const SMALL_SANS = style("sans", "'wght' 500", { tracking: 0, leading: 1.3 });
const SMALL_ITALIC = style("italic", "'opsz' 18, 'wght' 420", { tracking: 0, leading: 1.3 });

const PAIRS: Record<FontPairing, Pairing> = {
  reading: { words: style("serif", "'opsz' 72, 'wght' 400"), signature: SMALL_CAPITALS },
  italic: { words: style("italic", "'opsz' 72, 'wght' 400", { leading: 1.06 }), signature: SMALL_SANS },
  broadsheet: { words: style("serif", "'opsz' 72, 'wght' 720", { tracking: -0.026 }), signature: SMALL_ITALIC },
  poster: { words: style("sans", "'wght' 800", { tracking: -0.03, leading: 1.02 }), signature: SMALL_SANS },
  capitals: {
    words: style("sans", "'wght' 700", { tracking: 0.015, leading: 1.08, isCapitals: true }),
    signature: SMALL_ITALIC,
  },
  quiet: { words: style("sans", "'wght' 300", { tracking: -0.015, leading: 1.12 }), signature: SMALL_ITALIC },
};

export const pairingOf = (name: FontPairing): Pairing => PAIRS[name];

const SUBSETS = ["latin", "latin-ext", "vietnamese"] as const;
const FILES: Record<TypeStyle["family"], (subset: string) => [string, string]> = {
  serif: (subset) => ["newsreader", `newsreader-${subset}-opsz-normal.woff2`],
  italic: (subset) => ["newsreader", `newsreader-${subset}-opsz-italic.woff2`],
  sans: (subset) => ["hanken-grotesk", `hanken-grotesk-${subset}-wght-normal.woff2`],
};

/** Resolved when called: a bundler that read the path would copy the packages. */
const readFace = (family: TypeStyle["family"], subset: string): Buffer => {
  const [folder, file] = FILES[family](subset);
  return readFileSync(join(process.cwd(), "node_modules", "@fontsource-variable", folder, "files", file));
};

const faceName = (family: TypeStyle["family"], subset: string): string => `Template-${family}-${subset}`;

const known = new Map<TypeStyle["family"], ReadonlySet<string>>();

/** Registers a family once in this process. @returns the letters that it has. */
export const lettersIn = (family: TypeStyle["family"]): ReadonlySet<string> => {
  const before = known.get(family);
  if (before) return before;
  const letters = new Set<string>();
  for (const subset of SUBSETS) {
    const font = readFace(family, subset);
    const name = faceName(family, subset);
    if (!GlobalFonts.register(font, name)) throw new Error(`The font ${name} cannot be read.`);
    for (const letter of lettersOf(font)) letters.add(letter);
  }
  known.set(family, letters);
  return letters;
};

/** Makes a context write in a style at a size. */
export const setStyle = (ctx: SKRSContext2D, { family, axes, tracking }: TypeStyle, sizePx: number): void => {
  lettersIn(family);
  ctx.font = `${sizePx}px ${SUBSETS.map((subset) => faceName(family, subset)).join(", ")}`;
  ctx.fontVariationSettings = axes;
  ctx.letterSpacing = `${tracking * sizePx}px`;
  ctx.textBaseline = "alphabetic";
};

/** The text as a style writes it. */
export const inStyle = (text: string, { isCapitals }: TypeStyle): string => (isCapitals ? text.toUpperCase() : text);

/** Letters of a text that a style has no glyph for, each once. */
export const lettersWithout = (text: string, one: TypeStyle): string[] => {
  const letters = lettersIn(one.family);
  return [...new Set([...inStyle(text, one)].filter((letter) => !letters.has(letter) && !/\s/.test(letter)))];
};
