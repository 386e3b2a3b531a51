import "server-only";
import { brotliDecompressSync } from "node:zlib";

const HEADER_BYTES = 48;
const TAG_MASK = 0x3f;
const OTHER_TAG = 63;
const [CMAP, GLYF, LOCA] = [0, 10, 11];
const NOT_TRANSFORMED = 3;
const CONTINUES = 0x80;

/** Where the table of letters begins among a WOFF2 file's tables, and where those end in its directory. */
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

/** Code points of a table of letters in format 4: segments with an end, a start and where their glyphs are. */
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

/** The letters that a WOFF2 file has a glyph for, as far as they lie in the basic plane. */
export const lettersOf = (font: Buffer): Set<string> => {
  const { cmapAt, dataAt } = readDirectory(font);
  const cmap = brotliDecompressSync(font.subarray(dataAt, dataAt + font.readUInt32BE(20))).subarray(cmapAt);
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, n) => cmap.subarray(cmap.readUInt32BE(8 + n * 8)));
  const basic = subtables.find((table) => table.readUInt16BE(0) === 4);
  if (!basic) throw new Error("The font has no table of letters that can be read.");
  return new Set(readSegments(basic).map((point) => String.fromCodePoint(point)));
};
