/** Metadata of an image, parsed byte by byte, independently of the library that wrote it. */
interface ImageMetadata {
  kind: "jpeg" | "png" | "webp";
  /** Names of metadata segments: `APP1 Exif`, `APP1 XMP`, `APP2 ICC`, `APP13 IPTC`, PNG and WebP chunks. */
  parts: string[];
  /** The XMP texts. */
  xmp: string;
  /** Bytes after the end of the image. */
  behindBytes: number;
}

const PNG_HEAD = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Chunks that are needed to decode: size, palette, transparency, density, end. */
const PNG_PIXELS = new Set(["IHDR", "PLTE", "IDAT", "tRNS", "pHYs", "IEND"]);
const WEBP_PIXELS = new Set(["VP8 ", "VP8L", "VP8X", "ALPH"]);

const [START_OF_SCAN, END_OF_IMAGE, FIRST_APP, LAST_APP, COMMENT] = [0xda, 0xffd9, 0xe0, 0xef, 0xfe];
const JFIF_BYTES = 14;

const SIGNATURES: readonly [marker: number, begins: string, name: string][] = [
  [0xe1, "Exif\0\0", "Exif"],
  [0xe1, "http://ns.adobe.com/xap/1.0/\0", "XMP"],
  [0xe1, "http://ns.adobe.com/xmp/extension/\0", "XMP extension"],
  [0xe2, "ICC_PROFILE\0", "ICC"],
  [0xe2, "MPF\0", "MPF"],
  [0xed, "Photoshop 3.0\0", "IPTC"],
  [0xee, "Adobe", "Adobe"],
];

/** Finds the end of a scan: a marker that is neither a stuffed byte nor a restart. */
const endOfScan = (bytes: Buffer, from: number): number => {
  for (let at = from; at < bytes.length - 1; at += 1) {
    const next = bytes[at + 1] ?? 0;
    if (bytes[at] === 0xff && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new Error("A scan of this JPEG does not end.");
};

const describeSegment = (marker: number, body: Buffer): string => {
  const known = SIGNATURES.find(([of, begins]) => of === marker && body.toString("latin1").startsWith(begins));
  return `${marker === COMMENT ? "comment" : `APP${marker - FIRST_APP}`} ${known?.[2] ?? "unknown"}`;
};

const readJpeg = (bytes: Buffer): ImageMetadata => {
  const parts: string[] = [];
  let xmp = "";
  let at = 2;
  while (bytes.readUInt16BE(at) !== END_OF_IMAGE) {
    const marker = bytes[at + 1] ?? 0;
    const next = at + 2 + bytes.readUInt16BE(at + 2);
    const body = bytes.subarray(at + 4, next);
    // A JFIF header that is longer than its fields contains a thumbnail.
    const isPlainHead = marker === FIRST_APP && body.length === JFIF_BYTES;
    if ((marker >= FIRST_APP && marker <= LAST_APP && !isPlainHead) || marker === COMMENT) {
      const part = describeSegment(marker, body);
      parts.push(part);
      if (part.endsWith("XMP")) xmp += body.subarray(body.indexOf(0) + 1).toString("utf8");
    }
    at = marker === START_OF_SCAN ? endOfScan(bytes, next) : next;
  }
  return { kind: "jpeg", parts, xmp, behindBytes: bytes.length - at - 2 };
};

const readPng = (bytes: Buffer): ImageMetadata => {
  const parts: string[] = [];
  let at = PNG_HEAD.length;
  for (let type = ""; type !== "IEND"; at += 12 + bytes.readUInt32BE(at)) {
    type = bytes.toString("latin1", at + 4, at + 8);
    if (!PNG_PIXELS.has(type)) parts.push(type);
  }
  return { kind: "png", parts, xmp: "", behindBytes: bytes.length - at };
};

const readWebp = (bytes: Buffer): ImageMetadata => {
  const parts: string[] = [];
  const end = 8 + bytes.readUInt32LE(4);
  for (let at = 12; at < end; ) {
    const type = bytes.toString("latin1", at, at + 4);
    if (!WEBP_PIXELS.has(type)) parts.push(type.trim());
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return { kind: "webp", parts, xmp: "", behindBytes: bytes.length - end };
};

/** @throws Error for other formats than the three that are stored */
export const readMetadata = (image: Uint8Array): ImageMetadata => {
  const bytes = Buffer.from(image);
  if (bytes.readUInt16BE(0) === 0xffd8) return readJpeg(bytes);
  if (bytes.subarray(0, 8).equals(PNG_HEAD)) return readPng(bytes);
  if (bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP") return readWebp(bytes);
  throw new Error("Unsupported image format.");
};
