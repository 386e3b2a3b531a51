export type ImageKind = "jpeg" | "png" | "gif" | "webp" | "heic" | "svg" | "empty" | "other";

export const KIND_BYTES = 512;

const hasBytes = (head: Uint8Array, expected: readonly number[], at = 0): boolean =>
  expected.every((byte, index) => head[at + index] === byte);

const hasText = (head: Uint8Array, expected: string, at = 0): boolean =>
  hasBytes(
    head,
    [...expected].map((char) => char.charCodeAt(0)),
    at,
  );

const HEIC_BRANDS = ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"];

const isSvg = (head: Uint8Array): boolean =>
  /^\uFEFF?\s*<(?:\?xml\b[\s\S]*?<svg[\s>]|!--[\s\S]*?<svg[\s>]|!doctype svg|svg[\s>])/i.test(
    new TextDecoder().decode(head),
  );

/** The kind of a file by its first bytes, regardless of its name and declared type. */
export const imageKindOf = (head: Uint8Array): ImageKind => {
  if (head.length === 0) return "empty";
  if (hasBytes(head, [0xff, 0xd8, 0xff])) return "jpeg";
  if (hasBytes(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "png";
  if (hasText(head, "GIF87a") || hasText(head, "GIF89a")) return "gif";
  if (hasText(head, "RIFF") && hasText(head, "WEBP", 8)) return "webp";
  if (hasText(head, "ftyp", 4) && HEIC_BRANDS.some((brand) => hasText(head, brand, 8))) return "heic";
  return isSvg(head) ? "svg" : "other";
};

export const TEMPLATE_NAMES = ["label", "band", "slip", "veil", "frame", "arch", "disc", "strips"] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** Pairs of fonts: for the title and for the small line below. */
export const FONT_PAIRINGS = ["reading", "italic", "broadsheet", "poster", "capitals", "quiet"] as const;
export type FontPairing = (typeof FONT_PAIRINGS)[number];

/** `#rrggbb` colors of the text's background, of the text, and of accents. */
export interface BrandColors {
  panel: string;
  words: string;
  accent: string;
}

/** How many of the 64 bits of a perceptual hash may differ between near-duplicates. */
export const NEAR_DUPLICATE_BITS_MAX = 8;

/** The first bits of a perceptual hash describe lightness, the rest hue. */
export const LIKENESS_LIGHTNESS_BITS = 52;

/** With no more lightness bits than this set, an image is a single color or gradient. */
export const PLAIN_LIGHTNESS_BITS_MAX = 4;

export const likenessDistance = (one: string, other: string): number => {
  let differing = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let count = 0;
  for (; differing > 0n; differing &= differing - 1n) count += 1;
  return count;
};

/** An uploaded file, on this machine's disk until its request is answered. */
export interface UploadedFile {
  path: string;
  bytes: number;
  sha256: string;
}
