import { createCanvas, GlobalFonts } from "@napi-rs/canvas";

/** What a stand-in must have in common with a face; all in parts of the font size. */
export interface Metrics {
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
