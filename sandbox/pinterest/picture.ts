import type { PictureType } from "./model.ts";

/** What the first bytes of a picture say about it. */
export interface PictureFacts {
  contentType: PictureType;
  widthPx: number;
  heightPx: number;
}

const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_END = Buffer.from("IEND", "latin1");
const JPEG_START = 0xffd8;
const JPEG_END = Buffer.from([0xff, 0xd9]);
/** Some cameras pad behind the end marker. An earlier one may belong to an embedded preview. */
const PADDING_BYTES = 64;

/** Reads type and size from the bytes themselves; undefined when they are no whole JPEG or PNG. */
export function readPicture(bytes: Buffer): PictureFacts | undefined {
  if (bytes.length < 24) return undefined;
  if (bytes.subarray(0, 8).equals(PNG_START)) return readPng(bytes);
  return bytes.readUInt16BE(0) === JPEG_START ? readJpeg(bytes) : undefined;
}

function readPng(bytes: Buffer): PictureFacts | undefined {
  if (bytes.toString("latin1", 12, 16) !== "IHDR" || bytes.lastIndexOf(PNG_END) === -1) return undefined;
  return { contentType: "image/png", widthPx: bytes.readUInt32BE(16), heightPx: bytes.readUInt32BE(20) };
}

/** Walks the segments to the frame header; the end marker must be there too, or the upload was cut. */
function readJpeg(bytes: Buffer): PictureFacts | undefined {
  if (bytes.subarray(-PADDING_BYTES).lastIndexOf(JPEG_END) === -1) return undefined;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (isFrameHeader(marker)) {
      return { contentType: "image/jpeg", heightPx: bytes.readUInt16BE(at + 5), widthPx: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** SOF0 to SOF15 but for the three that share the range: Huffman tables, extensions, arithmetic coding. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
