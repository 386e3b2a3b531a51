import { TextNode } from "node-html-parser";
import { AUTHOR_MAX, HASHTAG_MAX, HASHTAGS_MAX, NO_AUTHOR, URL_MAX } from "./types.ts";

const STRAY = /&(?!(?:#[xX]?[0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});)/g;

const hasAmpersandsOnly = (raw: string, first: number): boolean => {
  for (let at = first; at >= 0; at = raw.indexOf("&", at + 5)) if (!raw.startsWith("amp;", at + 1)) return false;
  return true;
};

const PLAIN_REFERENCES: readonly (readonly [string, string])[] = [
  ["amp;", "&"],
  ["lt;", "<"],
  ["gt;", ">"],
  ["quot;", '"'],
  ["#39;", "'"],
];
/** A printable ASCII character by number; other numbers have special rules. */
const BY_NUMBER = /#(?:[xX]0{0,4}([2-7][0-9a-fA-F])|0{0,4}(3[2-9]|[4-9]\d|1[01]\d|12[0-6]));/y;
const PLAIN_LENGTH_MAX = 4_096;

/** Null when there is a less common reference. */
const decodePlain = (raw: string, first: number): string | null => {
  let text = "";
  let from = 0;
  for (let at = first; at >= 0; at = raw.indexOf("&", from)) {
    const known = PLAIN_REFERENCES.find(([name]) => raw.startsWith(name, at + 1));
    BY_NUMBER.lastIndex = at + 1;
    const number = known ? null : BY_NUMBER.exec(raw);
    if (!known && !number) return null;
    const [name, letter] = known ?? [
      number?.[0] ?? "",
      String.fromCharCode(number?.[1] ? Number.parseInt(number[1], 16) : Number(number?.[2])),
    ];
    text += raw.slice(from, at) + letter;
    from = at + 1 + name.length;
  }
  return text + raw.slice(from);
};

/** Decodes character references, once. "&t=1" in a URL is not one. One library call per text, because one per reference would be slow. */
export const decode = (raw: string): string => {
  const first = raw.indexOf("&");
  if (first < 0) return raw;
  if (hasAmpersandsOnly(raw, first)) return raw.replaceAll("&amp;", "&");
  const plain = raw.length <= PLAIN_LENGTH_MAX ? decodePlain(raw, first) : null;
  return plain ?? new TextNode(raw.replace(STRAY, "&amp;")).text;
};

/** Engines keep the whole page in memory for a plain slice; concatenation makes a separate string. */
const detach = (text: string): string => ` ${text}`.slice(1);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be removed
const CONTROLS = /[\0-\x08\x0e-\x1f\x7f]+/g;
const isOtherSpace = (code: number): boolean =>
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && (code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f)) ||
  code === 0x3000 ||
  code === 0xfeff;

const SPACE = 32;
const DELETE = 127;
const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000;

/** "tidy": one line with single spaces. "pairs": the same, with surrogate pairs. */
const stateOf = (text: string): "tidy" | "pairs" | "untidy" => {
  let before = SPACE;
  let hasPairs = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) {
      if (code !== SPACE || before === SPACE) return "untidy";
    } else if (code >= DELETE) {
      if (code === DELETE || isOtherSpace(code)) return "untidy";
      hasPairs ||= isSurrogate(code);
    }
    before = code;
  }
  if (before === SPACE) return "untidy";
  return hasPairs ? "pairs" : "tidy";
};

/** Normalizes to one line without control characters or lone surrogates, cut to `max`; null when empty. */
export const tidy = (text: string | null | undefined, max: number): string | null => {
  if (!text) return null;
  const trimmed = text.trim();
  const state = stateOf(trimmed);
  if (state === "tidy" && trimmed.length <= max) return detach(trimmed);
  const line = state === "untidy" ? text.replace(CONTROLS, "").replace(/\s+/g, " ").trim() : trimmed;
  if (line === "") return null;
  const cut = line.length > max ? line.slice(0, max).trimEnd() : line;
  return cut.isWellFormed() ? detach(cut) : cut.toWellFormed();
};

export interface VideoLink {
  id: string;
  kind: "video" | "photo";
  /** The author's handle without "@"; null when the URL has none. */
  author: string | null;
}

const SITE = "https://www.tiktok.com";
const VIDEO = /^(?:(?:https?:)?\/\/(?:[a-z0-9-]+\.)?tiktok\.com)?\/(?:@([^/?#]*)\/)?(video|photo)\/(\d+)(?:[/?#]|$)/i;
const AUTHOR_LINK = /^(?:(?:https?:)?\/\/(?:[a-z0-9-]+\.)?tiktok\.com)?\/@([^/?#]+)(?:[/?#]|$)/i;
const AUTHOR = /^[\w.-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are not allowed in URLs
const IMAGE = /^[hH][tT][tT][pP][sS]?:\/\/[^\s\0-\x1f\x7f-\x9f"'<>\\]+$/;
const LARGEST_ID = 2n ** 64n - 1n;

export const authorOf = (text: string | null | undefined): string | null => {
  const trimmed = text?.trim() ?? "";
  const name = trimmed.startsWith("@") ? trimmed.slice(1) : trimmed;
  return name.length <= AUTHOR_MAX && AUTHOR.test(name) && name !== NO_AUTHOR ? detach(name) : null;
};

/** Null when it is not a 64-bit number. */
export const idOf = (digits: unknown): string | null => {
  if (typeof digits !== "string" || !/^[1-9]\d{0,19}$/.test(digits)) return null;
  // All 19-digit numbers fit in 64 bits.
  return digits.length < 20 || BigInt(digits) <= LARGEST_ID ? detach(digits) : null;
};

/** Null for other links; "bad-id" for a video link with an invalid id. */
export const parseVideoLink = (raw: string): VideoLink | "bad-id" | null => {
  if (raw.length > URL_MAX) return null;
  const found = VIDEO.exec(decode(raw).trim());
  if (!found) return null;
  const id = idOf(found[3]);
  if (id === null) return "bad-id";
  return { id, kind: found[2]?.toLowerCase() === "photo" ? "photo" : "video", author: authorOf(found[1]) };
};

export const authorOfLink = (raw: string): string | null =>
  raw.length > URL_MAX ? null : authorOf(AUTHOR_LINK.exec(decode(raw).trim())?.[1]);

export const authorUrl = (author: string): string => `${SITE}/@${author}`;

export const videoUrl = (author: string | null, { kind, id }: Pick<VideoLink, "kind" | "id">): string =>
  `${authorUrl(author ?? NO_AUTHOR)}/${kind}/${id}`;

const URL_CHARACTER = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(code > 32 && code < 127 && !`"'<>\\`.includes(String.fromCharCode(code))),
);

/** A fast path: most image URLs need no regular expression. */
const isPlainImage = (url: string): boolean => {
  const from = url.startsWith("https://") ? 8 : 7;
  if (from === 7 && !url.startsWith("http://")) return false;
  for (let at = from; at < url.length; at += 1) if (URL_CHARACTER[url.charCodeAt(at)] !== 1) return false;
  return url.length > from;
};

/** A normalized http(s) image URL; null for placeholders and other schemes. */
export const imageUrlOf = (url: string | null | undefined): string | null => {
  if (!url || url.length > URL_MAX) return null;
  if (isPlainImage(url)) return detach(url);
  const trimmed = url.trim();
  const absolute = trimmed.startsWith("//") ? `https:${trimmed}` : trimmed;
  if (!IMAGE.test(absolute)) return null;
  return absolute.isWellFormed() ? detach(absolute) : absolute.toWellFormed();
};

const FIRST_SECOND = Date.UTC(2014, 0, 1) / 1_000;
const LAST_SECOND = Date.UTC(2100, 0, 1) / 1_000;

/** Whether these seconds are in a plausible year. */
export const isTime = (seconds: number): boolean => seconds >= FIRST_SECOND && seconds < LAST_SECOND;

export const timeOf = (seconds: number): string | null =>
  isTime(seconds) ? new Date(seconds * 1_000).toISOString() : null;

/** The upload time, which is in the upper half of a video id. */
export const uploadTimeOf = (id: string): string | null => timeOf(Number(BigInt(id) >> 32n));

const AT_MARK = /#([\p{L}\p{N}\p{M}_]+)/uy;
const WHOLE = /^[#＃]?([\p{L}\p{N}\p{M}_]+)$/u;
const MARK = "#";
const WIDE_MARK = "＃";
const WORD = Uint8Array.from({ length: 128 }, (_, code) => Number(/\w/.test(String.fromCharCode(code))));
const LINK = /\/tag\/([^/?#]+)/;

const endOfWord = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && WORD[text.charCodeAt(at)] === 1) at += 1;
  return at;
};

const wholeTag = (text: string): string | undefined => {
  const from = text.startsWith(MARK) ? 1 : 0;
  const isWord = text.length > from && endOfWord(text, from) === text.length;
  return isWord ? text.slice(from) : WHOLE.exec(text)?.[1];
};

/** The hashtags of one video in order, without case-insensitive duplicates; the first spelling stays. */
export class Hashtags {
  private readonly names: string[] = [];
  private readonly keys: string[] = [];
  /** All spellings; a list is faster than a set for so few. */
  private readonly taken: string[] = [];

  add(text: string | null | undefined): boolean {
    if (!text) return false;
    if (this.taken.includes(text)) return true;
    const tag = wholeTag(text.trim());
    if (tag === undefined) return false;
    this.keep(detach(tag));
    return true;
  }

  /** Adds a tag of another list; only a truncated one must be validated again. */
  addKnown(tag: string): void {
    if (tag.length < HASHTAG_MAX) this.keep(tag);
    else this.add(tag);
  }

  addLink(text: string | null, href: string | null): void {
    if (this.add(text)) return;
    this.add(tagOfLink(href));
  }

  /** Adds the tags of a caption. They may stay substrings, because the video keeps the caption too. */
  addFrom(caption: string | null): void {
    if (!caption) return;
    const marks = caption.includes(WIDE_MARK) ? caption.replaceAll(WIDE_MARK, MARK) : caption;
    for (let at = marks.indexOf(MARK); at >= 0; at = marks.indexOf(MARK, at)) at = this.addAt(marks, at);
  }

  private addAt(text: string, from: number): number {
    const end = endOfWord(text, from + 1);
    if (end < text.length && text.charCodeAt(end) >= WORD.length) {
      AT_MARK.lastIndex = from;
      const tag = AT_MARK.exec(text)?.[1];
      if (tag !== undefined) this.keep(tag);
      return Math.max(AT_MARK.lastIndex, from + 1);
    }
    if (end > from + 1) this.keep(text.slice(from + 1, end));
    return end;
  }

  list(): string[] {
    return this.names;
  }

  private keep(tag: string): void {
    if (this.taken.length >= HASHTAGS_MAX || this.taken.includes(tag)) return;
    const name = tag.length > HASHTAG_MAX ? tag.slice(0, HASHTAG_MAX).toWellFormed() : tag;
    this.taken.push(name);
    const key = name.toLowerCase();
    if (this.keys.includes(key)) return;
    this.keys.push(key);
    this.names.push(name);
  }
}

const tagOfLink = (href: string | null): string | null => {
  const found = href && href.length <= URL_MAX ? LINK.exec(decode(href))?.[1] : undefined;
  if (found === undefined) return null;
  try {
    return decodeURIComponent(found);
  } catch {
    // A stray percent sign: the raw text is used.
    return found;
  }
};

const LINK_START = "/tag/";
const QUOTE = '"';
const HASHTAG_SPACE = 32;
const LESS = 60;
const GREATER = 62;

const hasTagOfLink = (tags: readonly string[], href: string): boolean => {
  const tag = tagOfLink(href);
  if (tag === null) return false;
  const key = tag.toLowerCase();
  return tags.some((one) => one.length === tag.length && one.toLowerCase() === key);
};

const hasTagAt = (tags: readonly string[], html: string, mark: number): boolean => {
  for (const tag of tags) {
    const end = mark + 1 + tag.length;
    const next = html.charCodeAt(end);
    if ((next === LESS || next === HASHTAG_SPACE || end === html.length) && html.startsWith(tag, mark + 1)) return true;
  }
  return false;
};

export const hasTagLink = (tags: readonly string[], text: string, href: string): boolean =>
  hasTagAt(tags, text, text.indexOf(MARK)) || hasTagOfLink(tags, href);

export const hasTagLinks = (tags: readonly string[], html: string): boolean => {
  let mark = -1;
  for (let at = html.indexOf(LINK_START); at >= 0; ) {
    const quote = html.indexOf(QUOTE, at);
    const end = quote < 0 ? html.length : quote;
    if (mark < end) mark = html.indexOf(MARK, end);
    if (mark < 0) mark = html.length;
    const next = html.indexOf(LINK_START, end);
    // A "#" after the next link belongs to that link.
    const isOwn = (next < 0 || mark < next) && html.charCodeAt(mark - 1) === GREATER;
    if (!((isOwn && hasTagAt(tags, html, mark)) || hasTagOfLink(tags, html.slice(at, end)))) return false;
    at = next;
  }
  return true;
};
