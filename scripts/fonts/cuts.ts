import { readFileSync } from "node:fs";
import { inRepository } from "../root.ts";

/** A package of `@fontsource-variable`. */
export type Family = "newsreader" | "hanken-grotesk";

/** One `@font-face` over a cut. `weight` and `style` as CSS has them. */
export interface Face {
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
