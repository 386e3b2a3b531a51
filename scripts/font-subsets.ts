import { readFileSync } from "node:fs";
import { createCanvas, GlobalFonts } from "@napi-rs/canvas";
import { inRepository } from "./root.ts";

/** Font metrics that a fallback must match, relative to the font size. */
interface Metrics {
  letterWidth: number;
  ascent: number;
  descent: number;
}

/** Letters at their usual frequency, including spaces: the same sample that Next measures its fallbacks with. */
const SAMPLE = "aaabcdeeeefghiijklmnnoopqrrssttuvwxyz      ";
const SIZE = 1_000;
const HHEA_ASCENT = 4;
const HHEA_DESCENT = 6;
const HEAD_UNITS = 18;
const DIRECTORY = 12;
const ENTRY = 16;

/** The offset of a table in an uncompressed font. */
const tableStart = (font: Buffer, tag: string): number => {
  const count = font.readUInt16BE(4);
  for (let n = 0; n < count; n += 1) {
    const entry = DIRECTORY + n * ENTRY;
    if (font.toString("latin1", entry, entry + 4) === tag) return font.readUInt32BE(entry + 8);
  }
  throw new Error(`The font has no table ${tag}.`);
};

/** Measures an uncompressed font at an axis position. */
export const metricsOf = (font: Buffer, name: string, axes: Record<string, number>): Metrics => {
  if (!GlobalFonts.register(font, name)) throw new Error(`The font ${name} cannot be read.`);
  const ctx = createCanvas(1, 1).getContext("2d");
  ctx.font = `${SIZE}px "${name}"`;
  const settings = Object.entries(axes).map(([axis, value]) => `'${axis}' ${value}`);
  if (settings.length > 0) ctx.fontVariationSettings = settings.join(", ");
  const width = [...SAMPLE].reduce((sum, letter) => sum + ctx.measureText(letter).width, 0);
  const hhea = tableStart(font, "hhea");
  const units = font.readUInt16BE(tableStart(font, "head") + HEAD_UNITS);
  return {
    letterWidth: width / SAMPLE.length / SIZE,
    ascent: font.readInt16BE(hhea + HHEA_ASCENT) / units,
    descent: -font.readInt16BE(hhea + HHEA_DESCENT) / units,
  };
};

/** A generated font file and its URL path. */
interface FontSubsetFile {
  fontSubset: FontSubset;
  path: string;
  metrics: Metrics | null;
}

/** A system font to fall back on: its local names, and the width of its letters relative to the size. */
interface FallbackFont {
  family: string;
  names: readonly string[];
  letterWidth: number;
}

// Widths as Next measures them (Times New Roman, Arial); the others in proportion to the widths in capsize.
const SERIF: Record<FontSubset["face"]["style"], readonly FallbackFont[]> = {
  normal: [
    { family: "Serif Stand-in", names: ["Times New Roman", "Liberation Serif", "Tinos"], letterWidth: 0.4172 },
    { family: "Serif Stand-in 2", names: ["Noto Serif", "NotoSerif"], letterWidth: 0.4939 },
  ],
  italic: [
    {
      family: "Serif Stand-in",
      names: ["Times New Roman Italic", "Liberation Serif Italic", "Tinos Italic"],
      letterWidth: 0.4192,
    },
    { family: "Serif Stand-in 2", names: ["Noto Serif Italic", "NotoSerif-Italic"], letterWidth: 0.4816 },
  ],
};
const SANS: readonly FallbackFont[] = [
  { family: "Sans Stand-in", names: ["Arial", "Liberation Sans", "Arimo", "Helvetica"], letterWidth: 0.4563 },
  { family: "Sans Stand-in 2", names: ["Roboto", "Roboto-Regular"], letterWidth: 0.4553 },
];

const rule = (lines: readonly string[]): string => `@font-face {\n${lines.map((line) => `  ${line};\n`).join("")}}\n`;

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

/** Code points as a CSS unicode-range. */
const rangeOf = (letters: string): string => {
  const spans: [number, number][] = [];
  for (const point of [...letters].map((letter) => letter.codePointAt(0) ?? 0).sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last && point <= last[1] + 1) last[1] = point;
    else spans.push([point, point]);
  }
  const hex = (point: number) => point.toString(16).toUpperCase();
  return spans.map(([first, last]) => `U+${hex(first)}${last > first ? `-${hex(last)}` : ""}`).join(", ");
};

const faceRule = ({ fontSubset, path }: FontSubsetFile): string =>
  rule([
    `font-family: "${fontSubset.face.family}"`,
    `font-style: ${fontSubset.face.style}`,
    `font-weight: ${fontSubset.face.weight}`,
    "font-display: swap",
    `src: url("${path}") format("woff2")`,
    ...(fontSubset.isFirst ? [] : [`unicode-range: ${rangeOf(fontSubset.letters)}`]),
  ]);

const fallbackRule = (
  fontSubset: FontSubset,
  metrics: Metrics,
  { family, names, letterWidth }: FallbackFont,
): string => {
  const adjust = metrics.letterWidth / letterWidth;
  return rule([
    `font-family: "${family}"`,
    `font-style: ${fontSubset.face.style}`,
    ...(fontSubset.family === "newsreader" ? [`font-weight: ${fontSubset.face.weight}`] : []),
    `src: ${names.map((name) => `local("${name}")`).join(", ")}`,
    `size-adjust: ${percent(adjust)}`,
    `ascent-override: ${percent(metrics.ascent / adjust)}`,
    `descent-override: ${percent(metrics.descent / adjust)}`,
    "line-gap-override: 0%",
  ]);
};

/** The style sheet with all faces, and metric-compatible fallbacks for those that a first paint may need. */
export const faceRules = (made: readonly FontSubsetFile[]): string => {
  const standIns = made.flatMap(({ fontSubset, metrics }) => {
    if (!metrics) return [];
    const choices = fontSubset.family === "newsreader" ? SERIF[fontSubset.face.style] : SANS;
    return choices.map((choice) => fallbackRule(fontSubset, metrics, choice));
  });
  const head =
    "/* Generated by scripts/subset-fonts.ts. Fallbacks have the same metrics, so nothing shifts when a font loads. */";
  return [head, ...made.map(faceRule), ...standIns].join("\n");
};

/** A package of `@fontsource-variable`. */
export type Family = "newsreader" | "hanken-grotesk";

/** A `@font-face`. `weight` and `style` use CSS syntax. */
interface Face {
  family: string;
  weight: string;
  style: "normal" | "italic";
  /** The axis position at which its letters are measured for the fallback; none if absent. */
  measuredAt?: Record<string, number>;
}

/** A subset of a package's font file. An axis with a single value is removed from the file. */
export interface FontSubset {
  name: string;
  family: Family;
  source: string;
  axes: Record<string, number | { min: number; max: number; default: number }>;
  letters: string;
  face: Face;
  /** Whether a first paint may need it. Other files load on demand by their unicode-range. */
  isFirst: boolean;
}

export const LICENSES: Record<Family, string> = {
  newsreader: "OFL-newsreader.txt",
  "hanken-grotesk": "OFL-hanken-grotesk.txt",
};

const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

const between = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n));

/** The characters of the site's own texts. */
export const CORE = [...between(FIRST_PRINTABLE, LAST_PRINTABLE), ..."\u00a0©·×÷–—‘’“”…€−"].join("");

/** The characters of a package's range without the core ones. */
const beyondCore = (family: Family, range: "latin" | "latin-ext"): string => {
  const path = inRepository("node_modules", "@fontsource-variable", family, "unicode.json");
  const ranges: Record<string, string> = JSON.parse(readFileSync(path, "utf8"));
  const letters = (ranges[range] ?? "").split(",").flatMap((part) => {
    const [first = "", last = first] = part.replace("U+", "").split("-");
    return between(Number.parseInt(first, 16), Number.parseInt(last, 16));
  });
  return letters.filter((letter) => letter > "\u001f" && !CORE.includes(letter)).join("");
};

const roman = "newsreader-latin-opsz-normal";
const italic = "newsreader-latin-opsz-italic";
const sans = "hanken-grotesk-latin-wght-normal";
const SERIF_WEIGHTS = { min: 340, max: 500, default: 400 };
const SANS_WEIGHTS = { min: 400, max: 700, default: 400 };
const ALL_SERIF = "200 800";
const ALL_SANS = "100 900";

const serifSubset = (
  name: string,
  source: string,
  axes: FontSubset["axes"],
  weight: string,
  measuredAt: Record<string, number> = {},
): FontSubset => ({
  name: `newsreader-${name}`,
  family: "newsreader",
  source,
  axes,
  letters: CORE,
  face: { family: "Newsreader", weight, style: source === italic ? "italic" : "normal", measuredAt },
  isFirst: true,
});

const restSubset = (family: Family, name: string, source: string, range: "latin" | "latin-ext"): FontSubset => {
  const isSerif = family === "newsreader";
  return {
    name: `${family}-${name}`,
    family,
    source,
    axes: { wght: isSerif ? SERIF_WEIGHTS : SANS_WEIGHTS },
    letters: beyondCore(family, range),
    face: {
      family: isSerif ? "Newsreader Rest" : "Hanken Grotesk Rest",
      weight: isSerif ? ALL_SERIF : ALL_SANS,
      style: source.endsWith("italic") ? "italic" : "normal",
    },
    isFirst: false,
  };
};

/**
 * The design ties each serif weight to a size: 340 from 32 px up, 380 from 24 to 44, 400 to 500 from 17 to 28. So each
 * file has a single optical size, which saves two thirds of its bytes.
 */
export const FONT_SUBSETS: readonly FontSubset[] = [
  serifSubset("display", roman, { wght: 340, opsz: 64 }, "340"),
  serifSubset("title", roman, { wght: 380, opsz: 36 }, "380"),
  serifSubset("text", roman, { wght: { min: 400, max: 500, default: 400 }, opsz: 22 }, "400 500", { wght: 450 }),
  serifSubset("display-italic", italic, { wght: 340, opsz: 64 }, "340"),
  serifSubset("text-italic", italic, { wght: 410, opsz: 19 }, "400 500"),
  {
    name: "hanken-grotesk",
    family: "hanken-grotesk",
    source: sans,
    axes: { wght: SANS_WEIGHTS },
    letters: CORE,
    face: { family: "Hanken Grotesk", weight: ALL_SANS, style: "normal", measuredAt: { wght: 400 } },
    isFirst: true,
  },
  restSubset("newsreader", "rest", roman, "latin"),
  restSubset("newsreader", "rest-italic", italic, "latin"),
  restSubset("newsreader", "ext", "newsreader-latin-ext-opsz-normal", "latin-ext"),
  restSubset("newsreader", "ext-italic", "newsreader-latin-ext-opsz-italic", "latin-ext"),
  restSubset("hanken-grotesk", "rest", sans, "latin"),
  restSubset("hanken-grotesk", "ext", "hanken-grotesk-latin-ext-wght-normal", "latin-ext"),
];
