import { ADDRESS_MAX, AUTHOR_MAX } from "./limits.ts";
import { decode, detach } from "./text.ts";

/** What the address of a video says. */
export interface VideoAddress {
  id: string;
  kind: "video" | "photo";
  /** Unique id without the at sign; null where the address leaves it out. */
  author: string | null;
}

const SITE = "https://www.tiktok.com";
const VIDEO = /^(?:(?:https?:)?\/\/(?:[a-z0-9-]+\.)?tiktok\.com)?\/(?:@([^/?#]*)\/)?(video|photo)\/(\d+)(?:[/?#]|$)/i;
const AUTHOR_LINK = /^(?:(?:https?:)?\/\/(?:[a-z0-9-]+\.)?tiktok\.com)?\/@([^/?#]+)(?:[/?#]|$)/i;
const AUTHOR = /^[\w.-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no address may have them
const PICTURE = /^[hH][tT][tT][pP][sS]?:\/\/[^\s\0-\x1f\x7f-\x9f"'<>\\]+$/;
const LARGEST_ID = 2n ** 64n - 1n;

/** A unique id as it may stand in an address; null when it is none. */
export const authorOf = (text: string | null | undefined): string | null => {
  const trimmed = text?.trim() ?? "";
  const name = trimmed.startsWith("@") ? trimmed.slice(1) : trimmed;
  return name.length <= AUTHOR_MAX && AUTHOR.test(name) ? detach(name) : null;
};

/** Digits of at most 64 bits; null when they are no id. */
export const idOf = (digits: unknown): string | null => {
  if (typeof digits !== "string" || !/^[1-9]\d{0,19}$/.test(digits)) return null;
  // All numbers of 19 digits have room in 64 bits.
  return digits.length < 20 || BigInt(digits) <= LARGEST_ID ? detach(digits) : null;
};

/**
 * Reads the address of a video, absolute or relative, with or without a query, character references and all. Null
 * when it is another address; "bad-id" when it is a video's but its number is not.
 */
export const videoAddressOf = (raw: string): VideoAddress | "bad-id" | null => {
  if (raw.length > ADDRESS_MAX) return null;
  const found = VIDEO.exec(decode(raw).trim());
  if (!found) return null;
  const id = idOf(found[3]);
  if (id === null) return "bad-id";
  return { id, kind: found[2]?.toLowerCase() === "photo" ? "photo" : "video", author: authorOf(found[1]) };
};

/** The author that a link to a profile names. */
export const authorOfLink = (raw: string): string | null =>
  raw.length > ADDRESS_MAX ? null : authorOf(AUTHOR_LINK.exec(decode(raw).trim())?.[1]);

export const authorUrl = (author: string): string => `${SITE}/@${author}`;

export const videoUrl = (author: string, { kind, id }: Pick<VideoAddress, "kind" | "id">): string =>
  `${authorUrl(author)}/${kind}/${id}`;

/** Characters of ASCII that an address may have as they are. */
const IN_ADDRESS = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(code > 32 && code < 127 && !`"'<>\\`.includes(String.fromCharCode(code))),
);

/** Whether an address is one of a picture by its plain letters alone; most are, and no pattern is needed for them. */
const isPlainPicture = (address: string): boolean => {
  const from = address.startsWith("https://") ? 8 : 7;
  if (from === 7 && !address.startsWith("http://")) return false;
  for (let at = from; at < address.length; at += 1) if (IN_ADDRESS[address.charCodeAt(at)] !== 1) return false;
  return address.length > from;
};

/** An image that may be shown: http or https, neither a placeholder nor anything that runs; null for all others. */
export const pictureUrlOf = (address: string | null | undefined): string | null => {
  if (!address || address.length > ADDRESS_MAX) return null;
  if (isPlainPicture(address)) return detach(address);
  const trimmed = address.trim();
  const absolute = trimmed.startsWith("//") ? `https:${trimmed}` : trimmed;
  if (!PICTURE.test(absolute)) return null;
  return absolute.isWellFormed() ? detach(absolute) : absolute.toWellFormed();
};

const FIRST_SECOND = Date.UTC(2014, 0, 1) / 1_000;
const LAST_SECOND = Date.UTC(2100, 0, 1) / 1_000;

/** ISO 8601 of a time in unix seconds; null when no video can be of that time. */
export const timeOf = (seconds: number): string | null =>
  seconds >= FIRST_SECOND && seconds < LAST_SECOND ? new Date(seconds * 1_000).toISOString() : null;

/** When a video was uploaded: the upper half of its id counts the seconds since 1970. */
export const uploadTimeOf = (id: string): string | null => timeOf(Number(BigInt(id) >> 32n));
