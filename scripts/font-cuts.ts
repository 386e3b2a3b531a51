import { readFileSync } from "node:fs";
import { createCanvas, GlobalFonts } from "@napi-rs/canvas";
import { inRepository } from "./root.ts";

/** What a stand-in must have in common with a face; all in parts of the font size. */
interface Metrics {
  letterWidth: number;
  ascent: number;
  descent: number;
}

/** Letters as often as texts have them, spaces too: the same that Next measures its stand-ins with. */
const SAMPLE = "aaabcdeeeefghiijklmnnoopqrrssttuvwxyz      ";
const SIZE = 1_000;
const HHEA_ASCENT = 4;
const HHEA_DESCENT = 6;
const HEAD_UNITS = 18;
const DIRECTORY = 12;
const ENTRY = 16;

/** Where a table of an uncompressed font begins. */
const tableStart = (font: Buffer, tag: string): number => {
  const count = font.readUInt16BE(4);
  for (let n = 0; n < count; n += 1) {
    const entry = DIRECTORY + n * ENTRY;
    if (font.toString("latin1", entry, entry + 4) === tag) return font.readUInt32BE(entry + 8);
  }
  throw new Error(`The font has no table ${tag}.`);
};

/** Measures an uncompressed font with its axes at a place. */
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

/** A cut that was made: where a page finds it. */
interface MadeCut {
  cut: Cut;
  path: string;
  metrics: Metrics | null;
}

/** A face that a visitor's system may have: its names there, and the width of its letters in parts of the size. */
interface StandIn {
  family: string;
  names: readonly string[];
  letterWidth: number;
}

// Widths as Next measures them (Times New Roman, Arial), the others in proportion to the widths that capsize lists.
const SERIF: Record<Cut["face"]["style"], readonly StandIn[]> = {
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
const SANS: readonly StandIn[] = [
  { family: "Sans Stand-in", names: ["Arial", "Liberation Sans", "Arimo", "Helvetica"], letterWidth: 0.4563 },
  { family: "Sans Stand-in 2", names: ["Roboto", "Roboto-Regular"], letterWidth: 0.4553 },
];

const rule = (lines: readonly string[]): string => `@font-face {\n${lines.map((line) => `  ${line};\n`).join("")}}\n`;

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

/** Code points as CSS writes them, neighbours as one range. */
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

const faceRule = ({ cut, path }: MadeCut): string =>
  rule([
    `font-family: "${cut.face.family}"`,
    `font-style: ${cut.face.style}`,
    `font-weight: ${cut.face.weight}`,
    "font-display: swap",
    `src: url("${path}") format("woff2")`,
    ...(cut.isFirst ? [] : [`unicode-range: ${rangeOf(cut.letters)}`]),
  ]);

const standInRule = (cut: Cut, metrics: Metrics, { family, names, letterWidth }: StandIn): string => {
  const adjust = metrics.letterWidth / letterWidth;
  return rule([
    `font-family: "${family}"`,
    `font-style: ${cut.face.style}`,
    ...(cut.family === "newsreader" ? [`font-weight: ${cut.face.weight}`] : []),
    `src: ${names.map((name) => `local("${name}")`).join(", ")}`,
    `size-adjust: ${percent(adjust)}`,
    `ascent-override: ${percent(metrics.ascent / adjust)}`,
    `descent-override: ${percent(metrics.descent / adjust)}`,
    "line-gap-override: 0%",
  ]);
};

/** The style sheet with every face, and for each that a first paint may need stand-ins of the same width and height. */
export const faceRules = (made: readonly MadeCut[]): string => {
  const standIns = made.flatMap(({ cut, metrics }) => {
    if (!metrics) return [];
    const choices = cut.family === "newsreader" ? SERIF[cut.face.style] : SANS;
    return choices.map((choice) => standInRule(cut, metrics, choice));
  });
  const head =
    "/* Made by scripts/cut-fonts.ts. Stand-ins take the same room, so that nothing moves when a face arrives. */";
  return [head, ...made.map(faceRule), ...standIns].join("\n");
};

/** A package of `@fontsource-variable`. */
export type Family = "newsreader" | "hanken-grotesk";

/** One `@font-face` over a cut. `weight` and `style` as CSS has them. */
interface Face {
  family: string;
  weight: string;
  style: "normal" | "italic";
  /** Where the axes stand when its letters are measured for the stand-in; without it, it has none. */
  measuredAt?: Record<string, number>;
}

/** A file: which letters of a package's file, with which axes. An axis that is one number is gone from the file. */
export interface Cut {
  name: string;
  family: Family;
  source: string;
  axes: Record<string, number | { min: number; max: number; default: number }>;
  letters: string;
  face: Face;
  /** A first paint may need it; the others load when a letter asks for them, and name their range. */
  isFirst: boolean;
}

export const LICENCES: Record<Family, string> = {
  newsreader: "OFL-newsreader.txt",
  "hanken-grotesk": "OFL-hanken-grotesk.txt",
};

const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

const between = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n));

/** What the site's own texts are written with; anything else is in the rest. */
export const CORE = [...between(FIRST_PRINTABLE, LAST_PRINTABLE), ..."\u00a0©·×÷–—‘’“”…€−"].join("");

/** The letters of a range as a package names it, without the core's. */
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

const serifCut = (
  name: string,
  source: string,
  axes: Cut["axes"],
  weight: string,
  measuredAt: Record<string, number> = {},
): Cut => ({
  name: `newsreader-${name}`,
  family: "newsreader",
  source,
  axes,
  letters: CORE,
  face: { family: "Newsreader", weight, style: source === italic ? "italic" : "normal", measuredAt },
  isFirst: true,
});

const restCut = (family: Family, name: string, source: string, range: "latin" | "latin-ext"): Cut => {
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
 * The look ties each weight of the serif to a size: 340 from 32 px up, 380 from 24 to 44, 400 to 500 from 17 to 28. Each
 * has therefore one optical size in its file, which saves two thirds of the bytes of a file that has them all.
 */
export const CUTS: readonly Cut[] = [
  serifCut("display", roman, { wght: 340, opsz: 64 }, "340"),
  serifCut("title", roman, { wght: 380, opsz: 36 }, "380"),
  serifCut("text", roman, { wght: { min: 400, max: 500, default: 400 }, opsz: 22 }, "400 500", { wght: 450 }),
  serifCut("display-italic", italic, { wght: 340, opsz: 64 }, "340"),
  serifCut("text-italic", italic, { wght: 410, opsz: 19 }, "400 500"),
  {
    name: "hanken-grotesk",
    family: "hanken-grotesk",
    source: sans,
    axes: { wght: SANS_WEIGHTS },
    letters: CORE,
    face: { family: "Hanken Grotesk", weight: ALL_SANS, style: "normal", measuredAt: { wght: 400 } },
    isFirst: true,
  },
  restCut("newsreader", "rest", roman, "latin"),
  restCut("newsreader", "rest-italic", italic, "latin"),
  restCut("newsreader", "ext", "newsreader-latin-ext-opsz-normal", "latin-ext"),
  restCut("newsreader", "ext-italic", "newsreader-latin-ext-opsz-italic", "latin-ext"),
  restCut("hanken-grotesk", "rest", sans, "latin"),
  restCut("hanken-grotesk", "ext", "hanken-grotesk-latin-ext-wght-normal", "latin-ext"),
];
