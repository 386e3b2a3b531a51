/** What the first bytes of a file say it is. `other`: nothing we know. */
export type PictureKind = "jpeg" | "png" | "gif" | "webp" | "heic" | "svg" | "empty" | "other";

/** Bytes of a file's beginning that are enough to tell its kind. */
export const KIND_BYTES = 512;

const hasBytes = (head: Uint8Array, expected: readonly number[], at = 0): boolean =>
  expected.every((byte, index) => head[at + index] === byte);

const hasText = (head: Uint8Array, expected: string, at = 0): boolean =>
  hasBytes(
    head,
    [...expected].map((char) => char.charCodeAt(0)),
    at,
  );

/** Brands of the container that phones keep HEIC in. */
const HEIC_BRANDS = ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"];

const isSvg = (head: Uint8Array): boolean =>
  /^\uFEFF?\s*<(?:\?xml\b[\s\S]*?<svg[\s>]|!--[\s\S]*?<svg[\s>]|!doctype svg|svg[\s>])/i.test(
    new TextDecoder().decode(head),
  );

/** The kind of a file by its first bytes, whatever its name and its sender say (R-SRV-07). */
export const pictureKindOf = (head: Uint8Array): PictureKind => {
  if (head.length === 0) return "empty";
  if (hasBytes(head, [0xff, 0xd8, 0xff])) return "jpeg";
  if (hasBytes(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "png";
  if (hasText(head, "GIF87a") || hasText(head, "GIF89a")) return "gif";
  if (hasText(head, "RIFF") && hasText(head, "WEBP", 8)) return "webp";
  if (hasText(head, "ftyp", 4) && HEIC_BRANDS.some((brand) => hasText(head, brand, 8))) return "heic";
  return isSvg(head) ? "svg" : "other";
};

/** The ways to write on a picture, in the order in which they are offered. */
export const TEMPLATE_NAMES = ["label", "band", "slip", "veil", "frame", "arch", "disc", "strips"] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** The pairs of faces that words are written in: the words' own, and that of the small line below. */
export const FONT_PAIRINGS = ["reading", "italic", "broadsheet", "poster", "capitals", "quiet"] as const;
export type FontPairing = (typeof FONT_PAIRINGS)[number];

/** Colours as `#rrggbb`: what words stand on, the words, and what sets something off. */
export interface BrandColours {
  panel: string;
  words: string;
  accent: string;
}

/** Of the 64 bits of a likeness, so many may differ between pictures that look nearly the same. */
export const NEARLY_SAME_BITS = 8;

/** The first so many bits of a likeness are of light and dark; those after them are of the tint. */
export const LIKENESS_WAVE_BITS = 52;

/** With so few of its bits of light and dark set, a picture is one colour or one even gradient. */
export const PLAIN_WAVES_MOST = 4;

/** How many bits differ between two likenesses (16 hexadecimal digits each): 0 to 64. */
export const likenessDistance = (one: string, other: string): number => {
  let differing = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let count = 0;
  for (; differing > 0n; differing &= differing - 1n) count += 1;
  return count;
};

/** A file that somebody sent, as it lies on this machine's disk while their call is answered. */
export interface UploadedFile {
  path: string;
  bytes: number;
  /** SHA-256 of its content, hexadecimal. */
  sha256: string;
}
