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
