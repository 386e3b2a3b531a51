import "server-only";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { GlobalFonts, type SKRSContext2D } from "@napi-rs/canvas";
import type { FontPairing } from "#lib/core/images.ts";

const HEADER_BYTES = 48;
const TAG_MASK = 0x3f;
const OTHER_TAG = 63;
const [CMAP, GLYF, LOCA] = [0, 10, 11];
const NOT_TRANSFORMED = 3;
const CONTINUES = 0x80;

/** `cmapAt` is the offset of the cmap in the decompressed tables; `dataAt` is where the compressed data begins. */
const readDirectory = (font: Buffer): { cmapAt: number; dataAt: number } => {
  let at = HEADER_BYTES;
  let offset = 0;
  let cmapAt = -1;
  const readLength = (): number => {
    let value = 0;
    for (;;) {
      const byte = font.readUInt8(at);
      at += 1;
      value = value * CONTINUES + (byte & (CONTINUES - 1));
      if (byte < CONTINUES) return value;
    }
  };
  for (let tables = font.readUInt16BE(12); tables > 0; tables -= 1) {
    const flags = font.readUInt8(at);
    const tag = flags & TAG_MASK;
    const version = flags >> 6;
    at += tag === OTHER_TAG ? 5 : 1;
    const length = readLength();
    const isTransformed = tag === GLYF || tag === LOCA ? version !== NOT_TRANSFORMED : version !== 0;
    if (tag === CMAP) cmapAt = offset;
    offset += isTransformed ? readLength() : length;
  }
  return { cmapAt, dataAt: at };
};

const readSegments = (table: Buffer): number[] => {
  const bytes = table.readUInt16BE(6);
  const points: number[] = [];
  for (let n = 0; n < bytes; n += 2) {
    const last = table.readUInt16BE(14 + n);
    const first = table.readUInt16BE(16 + bytes + n);
    for (let point = first; point <= last && point < 0xffff; point += 1) points.push(point);
  }
  return points;
};

/** The characters of the basic plane for which a WOFF2 file has a glyph. */
export const charactersOf = (font: Buffer): Set<string> => {
  const { cmapAt, dataAt } = readDirectory(font);
  const cmap = brotliDecompressSync(font.subarray(dataAt, dataAt + font.readUInt32BE(20))).subarray(cmapAt);
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, n) => cmap.subarray(cmap.readUInt32BE(8 + n * 8)));
  const basic = subtables.find((table) => table.readUInt16BE(0) === 4);
  if (!basic) throw new Error("The font has no readable cmap.");
  return new Set(readSegments(basic).map((point) => String.fromCodePoint(point)));
};

export interface TypeStyle {
  family: "serif" | "italic" | "sans";
  axes: string;
  /** As a share of the size. */
  tracking: number;
  /** Line height, as a share of the size. */
  leading: number;
  isCapitals: boolean;
}

export interface Pairing {
  text: TypeStyle;
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
  reading: { text: style("serif", "'opsz' 72, 'wght' 400"), signature: SMALL_CAPITALS },
  italic: { text: style("italic", "'opsz' 72, 'wght' 400", { leading: 1.06 }), signature: SMALL_SANS },
  broadsheet: { text: style("serif", "'opsz' 72, 'wght' 720", { tracking: -0.026 }), signature: SMALL_ITALIC },
  poster: { text: style("sans", "'wght' 800", { tracking: -0.03, leading: 1.02 }), signature: SMALL_SANS },
  capitals: {
    text: style("sans", "'wght' 700", { tracking: 0.015, leading: 1.08, isCapitals: true }),
    signature: SMALL_ITALIC,
  },
  quiet: { text: style("sans", "'wght' 300", { tracking: -0.015, leading: 1.12 }), signature: SMALL_ITALIC },
};

export const pairingOf = (name: FontPairing): Pairing => PAIRS[name];

const SUBSETS = ["latin", "latin-ext", "vietnamese"] as const;
const FILES: Record<TypeStyle["family"], (subset: string) => [string, string]> = {
  serif: (subset) => ["newsreader", `newsreader-${subset}-opsz-normal.woff2`],
  italic: (subset) => ["newsreader", `newsreader-${subset}-opsz-italic.woff2`],
  sans: (subset) => ["hanken-grotesk", `hanken-grotesk-${subset}-wght-normal.woff2`],
};

/** The path is resolved when called, so that a bundler does not copy the packages. */
const readFace = (family: TypeStyle["family"], subset: string): Buffer => {
  const [folder, file] = FILES[family](subset);
  return readFileSync(join(process.cwd(), "node_modules", "@fontsource-variable", folder, "files", file));
};

const faceName = (family: TypeStyle["family"], subset: string): string => `Template-${family}-${subset}`;

const known = new Map<TypeStyle["family"], ReadonlySet<string>>();

const charactersIn = (family: TypeStyle["family"]): ReadonlySet<string> => {
  const before = known.get(family);
  if (before) return before;
  const characters = new Set<string>();
  for (const subset of SUBSETS) {
    const font = readFace(family, subset);
    const name = faceName(family, subset);
    if (!GlobalFonts.register(font, name)) throw new Error(`The font ${name} cannot be read.`);
    for (const character of charactersOf(font)) characters.add(character);
  }
  known.set(family, characters);
  return characters;
};

export const setStyle = (ctx: SKRSContext2D, { family, axes, tracking }: TypeStyle, sizePx: number): void => {
  charactersIn(family);
  ctx.font = `${sizePx}px ${SUBSETS.map((subset) => faceName(family, subset)).join(", ")}`;
  ctx.fontVariationSettings = axes;
  ctx.letterSpacing = `${tracking * sizePx}px`;
  ctx.textBaseline = "alphabetic";
};

export const inStyle = (text: string, { isCapitals }: TypeStyle): string => (isCapitals ? text.toUpperCase() : text);

export const missingIn = (text: string, one: TypeStyle): string[] => {
  const characters = charactersIn(one.family);
  return [
    ...new Set([...inStyle(text, one)].filter((character) => !characters.has(character) && !/\s/.test(character))),
  ];
};

type Face = "roman" | "italic" | "mark" | "sans";

const LETTERING_SUBSETS = ["latin", "latin-ext"] as const;
const ROMAN = "CardRoman";
const ITALIC = "CardItalic";
const SANS = "CardSans";

/** `tracking` is a share of the size. */
const FACES: Record<Face, { family: string; axes: string; tracking: number }> = {
  roman: { family: ROMAN, axes: "'opsz' 72, 'wght' 340", tracking: -0.032 },
  italic: { family: ITALIC, axes: "'opsz' 72, 'wght' 340", tracking: -0.04 },
  mark: { family: ROMAN, axes: "'opsz' 32, 'wght' 500", tracking: -0.028 },
  sans: { family: SANS, axes: "'wght' 500", tracking: 0 },
};

const fontFile = (family: string, file: string): string =>
  join(process.cwd(), "node_modules", "@fontsource-variable", family, "files", file);

const register = (path: string, family: string): void => {
  if (GlobalFonts.has(family)) return;
  if (!GlobalFonts.register(readFileSync(path), family)) throw new Error(`The font ${path} cannot be read.`);
};

export const registerFaces = (): void => {
  for (const subset of LETTERING_SUBSETS) {
    register(fontFile("newsreader", `newsreader-${subset}-opsz-normal.woff2`), `${ROMAN}-${subset}`);
    register(fontFile("newsreader", `newsreader-${subset}-opsz-italic.woff2`), `${ITALIC}-${subset}`);
    register(fontFile("hanken-grotesk", `hanken-grotesk-${subset}-wght-normal.woff2`), `${SANS}-${subset}`);
  }
};

export const setFace = (ctx: SKRSContext2D, face: Face, sizePx: number): void => {
  const { family, axes, tracking } = FACES[face];
  ctx.font = `${sizePx}px ${LETTERING_SUBSETS.map((subset) => `${family}-${subset}`).join(", ")}`;
  ctx.fontVariationSettings = axes;
  ctx.letterSpacing = `${tracking * sizePx}px`;
  ctx.textBaseline = "alphabetic";
};

type Run = { text: string; face: Face };
/** A word may mix faces: an italic phrase can end before its period. */
type Word = readonly Run[];
type Line = readonly Word[];

interface FittedHeadline {
  lines: readonly Line[];
  sizePx: number;
}

const LARGEST_PX = 92;
const SMALLEST_PX = 44;
const STEP_PX = 4;
const THREE_LINES_PX = 68;
/** Line height, as a share of the size. */
const LEADING = 0.98;

const wordsOf = (headline: string): Word[] => {
  let isItalic = false;
  return headline.split(" ").map((word) =>
    word.split("*").flatMap((text, index) => {
      if (index > 0) isItalic = !isItalic;
      return text === "" ? [] : [{ text, face: isItalic ? ("italic" as const) : ("roman" as const) }];
    }),
  );
};

/** Widths scale with the size, so they are measured once, at this size. */
const MEASURE_PX = 100;

const runWidth = (ctx: SKRSContext2D, { text, face }: Run): number => {
  setFace(ctx, face, MEASURE_PX);
  return ctx.measureText(text).width / MEASURE_PX;
};

const spaceWidth = (ctx: SKRSContext2D): number => runWidth(ctx, { text: " ", face: "roman" });

/** `width` is a share of the size. */
type Measured = { word: Word; width: number };

const splits = (words: readonly Measured[], count: number): (readonly Measured[])[][] =>
  count === 1
    ? [[words]]
    : words
        .slice(1)
        .flatMap((_, index) =>
          splits(words.slice(index + 1), count - 1).map((rest) => [words.slice(0, index + 1), ...rest]),
        );

/** Prefers line breaks after punctuation, even at a quarter more width. */
const PAUSE_BONUS = 0.75;

const endsWell = (lines: readonly Line[]): boolean =>
  lines.length > 1 && lines.slice(0, -1).every((line) => /[,.:;]$/.test(line.at(-1)?.at(-1)?.text ?? ""));

const lineWidth = (line: readonly Measured[], space: number): number =>
  line.reduce((sum, { width }) => sum + width, 0) + space * (line.length - 1);

const mostBalanced = (words: readonly Measured[], count: number, space: number) =>
  splits(words, count)
    .map((measured) => {
      const lines = measured.map((line) => line.map(({ word }) => word));
      const width = Math.max(...measured.map((line) => lineWidth(line, space)));
      return { lines, width, weight: width * (endsWell(lines) ? PAUSE_BONUS : 1) };
    })
    .toSorted((a, b) => a.weight - b.weight)[0];

/** In two lines, or in three at small sizes. @throws Error when it is too long */
export const fitHeadline = (ctx: SKRSContext2D, headline: string, maxWidthPx: number): FittedHeadline => {
  const words = wordsOf(headline).map((word) => ({
    word,
    width: word.reduce((sum, run) => sum + runWidth(ctx, run), 0),
  }));
  const space = spaceWidth(ctx);
  const ways = [1, 2, 3].map((count) => mostBalanced(words, count, space));
  for (let sizePx = LARGEST_PX; sizePx >= SMALLEST_PX; sizePx -= STEP_PX) {
    const found = ways
      .slice(0, sizePx > THREE_LINES_PX ? 2 : 3)
      .find((way) => way !== undefined && way.width * sizePx <= maxWidthPx);
    if (found) return { lines: found.lines, sizePx };
  }
  throw new Error(`"${headline}" is too long for a share image.`);
};

export const writeHeadline = (
  ctx: SKRSContext2D,
  { lines, sizePx }: FittedHeadline,
  place: { leftPx: number; baselinePx: number; fills: Record<"roman" | "italic", string> },
): void => {
  const space = spaceWidth(ctx) * sizePx;
  lines.forEach((line, row) => {
    const y = place.baselinePx - (lines.length - 1 - row) * sizePx * LEADING;
    let x = place.leftPx;
    for (const word of line) {
      for (const run of word) {
        const width = runWidth(ctx, run) * sizePx;
        setFace(ctx, run.face, sizePx);
        ctx.fillStyle = run.face === "italic" ? place.fills.italic : place.fills.roman;
        ctx.fillText(run.text, x, y);
        x += width;
      }
      x += space;
    }
  });
};
