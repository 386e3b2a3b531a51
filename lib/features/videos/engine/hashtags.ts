import { ADDRESS_MAX, HASHTAG_MAX, HASHTAGS_MAX } from "./limits.ts";
import { decode, detach } from "./text.ts";

const AT_MARK = /#([\p{L}\p{N}\p{M}_]+)/uy;
const WHOLE = /^[#＃]?([\p{L}\p{N}\p{M}_]+)$/u;
const MARK = "#";
const WIDE_MARK = "＃";
/** Letters, digits and the underscore of ASCII. */
const WORD = Uint8Array.from({ length: 128 }, (_, code) => Number(/\w/.test(String.fromCharCode(code))));
const LINK = /\/tag\/([^/?#]+)/;

/** Where a word of ASCII ends that begins at a place. */
const endOfWord = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && WORD[text.charCodeAt(at)] === 1) at += 1;
  return at;
};

/** A text that is one hashtag, without its "#". Most are of ASCII, for which no pattern is needed. */
const wholeTag = (text: string): string | undefined => {
  const from = text.startsWith(MARK) ? 1 : 0;
  const isWord = text.length > from && endOfWord(text, from) === text.length;
  return isWord ? text.slice(from) : WHOLE.exec(text)?.[1];
};

/** Hashtags of one video in order of first sight: the first way of writing stays, whatever the case. */
export class Hashtags {
  private readonly names: string[] = [];
  private readonly keys: string[] = [];
  /** All ways of writing; few enough that looking through them costs less than a set. */
  private readonly taken: string[] = [];

  /** Takes a tag with or without "#"; false when it is none. */
  add(text: string | null | undefined): boolean {
    if (!text) return false;
    if (this.taken.includes(text)) return true;
    const tag = wholeTag(text.trim());
    if (tag === undefined) return false;
    this.keep(detach(tag));
    return true;
  }

  /** Takes a tag of another such list: only one that was cut may be none any more. */
  addKnown(tag: string): void {
    if (tag.length < HASHTAG_MAX) this.keep(tag);
    else this.add(tag);
  }

  /** A tag link: by its text, or by its address when the text is no tag. */
  addLink(text: string | null, href: string | null): void {
    if (this.add(text)) return;
    this.add(tagOfLink(href));
  }

  /** Takes the tags of a caption, which the video keeps too: they may stay parts of it. */
  addFrom(caption: string | null): void {
    if (!caption) return;
    const marks = caption.includes(WIDE_MARK) ? caption.replaceAll(WIDE_MARK, MARK) : caption;
    for (let at = marks.indexOf(MARK); at >= 0; at = marks.indexOf(MARK, at)) at = this.addAt(marks, at);
  }

  /** Takes the tag that begins at a place of a text, if one does, and answers where it ends. */
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
  const found = href && href.length <= ADDRESS_MAX ? LINK.exec(decode(href))?.[1] : undefined;
  if (found === undefined) return null;
  try {
    return decodeURIComponent(found);
  } catch {
    // A stray percent sign: the address is then as good as its letters.
    return found;
  }
};

const LINK_START = "/tag/";
const QUOTE = '"';
const SPACE = 32;
const LESS = 60;
const GREATER = 62;

/** Whether a list has the tag that an address names, in any way of writing. */
const hasTagOfLink = (tags: readonly string[], href: string): boolean => {
  const tag = tagOfLink(href);
  if (tag === null) return false;
  const key = tag.toLowerCase();
  return tags.some((one) => one.length === tag.length && one.toLowerCase() === key);
};

/** Whether a tag of the list stands behind the "#" at a place, as it is: so most of them are written. */
const hasTagAt = (tags: readonly string[], html: string, mark: number): boolean => {
  for (const tag of tags) {
    const end = mark + 1 + tag.length;
    const next = html.charCodeAt(end);
    if ((next === LESS || next === SPACE || end === html.length) && html.startsWith(tag, mark + 1)) return true;
  }
  return false;
};

/** Whether a list has the tag of a link, by the markup of its text or by its address. */
export const hasTagLink = (tags: readonly string[], text: string, href: string): boolean =>
  hasTagAt(tags, text, text.indexOf(MARK)) || hasTagOfLink(tags, href);

/** Whether a list has the tag of each link in a piece of markup. No tree is built to tell. */
export const hasTagLinks = (tags: readonly string[], html: string): boolean => {
  let mark = -1;
  for (let at = html.indexOf(LINK_START); at >= 0; ) {
    const quote = html.indexOf(QUOTE, at);
    const end = quote < 0 ? html.length : quote;
    if (mark < end) mark = html.indexOf(MARK, end);
    if (mark < 0) mark = html.length;
    const next = html.indexOf(LINK_START, end);
    // A "#" behind the next link is that link's.
    const isOwn = (next < 0 || mark < next) && html.charCodeAt(mark - 1) === GREATER;
    if (!((isOwn && hasTagAt(tags, html, mark)) || hasTagOfLink(tags, html.slice(at, end)))) return false;
    at = next;
  }
  return true;
};
