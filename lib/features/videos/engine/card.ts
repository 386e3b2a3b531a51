import { HTMLElement, type Node, parse } from "node-html-parser";
import type { Card, Range, Skips } from "./cards.ts";
import { TagScanner } from "./html.ts";
import { authorOf, decode, Hashtags, hasTagLink, hasTagLinks, pictureUrlOf, tidy, type VideoAddress } from "./text.ts";
import { ADDRESS_MAX, CAPTION_MAX, type Limits, SHORT_TEXT_MAX, type Source, type SourcedField } from "./types.ts";

/** What one source tells of a video; null is what it does not tell. */
export interface Reading {
  id: string;
  kind: VideoAddress["kind"];
  author: string | null;
  title: string | null;
  thumbnail_url: string | null;
  views_count: string | null;
  likes_count: string | null;
  date_posted: string | null;
  /** Unix seconds. */
  createTime: number | null;
  hashtags: string[];
  /** Of each field that was read. */
  sources: Record<SourcedField, Source | null>;
  offset: number;
}

/** Where a field was read, if it was. */
export const sourceIf = (value: unknown, source: Source): Source | null => (value ? source : null);

/** What cards are read with. */
export interface Page {
  html: string;
  limits: Limits;
  skips: Skips;
}

/** Characters of an attribute that are looked at: a caption, and what stands around it. */
const ATTRIBUTE_MAX = 4 * CAPTION_MAX;

const rawOf = ({ html }: Page, range: Range | null): string => (range ? html.slice(range.from, range.to) : "");

const fragmentOf = (page: Page, range: Range | null): Fragment | null => {
  if (!range) return null;
  const fragment = readFragment(rawOf(page, range), page.limits);
  if (!fragment) page.skips.add("too-large", range.from);
  return fragment;
};

const shortTextOf = (page: Page, range: Range | null): string | null =>
  tidy(fragmentOf(page, range)?.text, SHORT_TEXT_MAX);

/**
 * An alternative text says "<caption> created by <nickname> with <sound>", in pages in English since 2025. The last
 * "created by" that has a "with" behind it ends the caption; without one the text is all caption.
 */
const BY = " created by";
const captionOfAlt = (alt: string): string => {
  const latest = alt.lastIndexOf(" with ") - BY.length;
  if (latest < -1) return alt;
  const end = latest < 0 ? -1 : alt.lastIndexOf(`${BY} `, latest);
  if (end >= 0) return alt.slice(0, end);
  return alt.startsWith(`${BY.slice(1)} `) ? "" : alt;
};

/** A link's title is cut: "Soup for tired peo… | TikTok". */
const captionOfLinkTitle = (title: string): string => {
  const bar = title.lastIndexOf("|");
  return bar >= 0 &&
    title
      .slice(bar + 1)
      .trim()
      .toLowerCase() === "tiktok"
    ? title.slice(0, bar)
    : title;
};

/** The text of an attribute as one line: runs of white space are gone before anything is looked for in it. */
const lineOf = ({ html }: Page, range: Range | null): string => {
  if (!range) return "";
  const raw = html.slice(range.from, Math.min(range.to, range.from + ATTRIBUTE_MAX));
  return tidy(decode(raw), ATTRIBUTE_MAX) ?? "";
};

const titleOf = (page: Page, card: Card, fragment: Fragment | null): [string | null, Source] => {
  const shown = tidy(fragment?.text, CAPTION_MAX);
  if (shown) return [shown, "dom"];
  const line = lineOf(page, card.alt);
  const caption = captionOfAlt(line);
  // A whole line is tidy as it is.
  const alt = caption === line && line.length <= CAPTION_MAX ? line : tidy(caption, CAPTION_MAX);
  if (alt) return [alt, "alt"];
  return [tidy(captionOfLinkTitle(lineOf(page, card.linkTitle)), CAPTION_MAX), "link"];
};

const hashtagsOf = (card: Card, page: Page, fragment: Fragment | null, title: string | null): [string[], boolean] => {
  const hashtags = new Hashtags();
  for (const { text, href } of fragment?.tagLinks ?? []) hashtags.addLink(text, href);
  for (const { text, href } of card.tagLinks) hashtags.addLink(shortTextOf(page, text), href);
  const areLinked = hashtags.list().length > 0;
  hashtags.addFrom(title);
  return [hashtags.list(), areLinked];
};

const countOf = (page: Page, card: Card, wanted: "views" | "likes"): string | null => {
  const meaning = { play: "views", heart: "likes" } as const;
  const count = card.counts.find(({ glyph, otherwise }) => (glyph ? meaning[glyph] : otherwise) === wanted);
  const text = count ? shortTextOf(page, count) : null;
  return text && (/\d/.test(text) || /\p{N}/u.test(text)) ? text : null;
};

/** The third part of the line under a watched video's author: "Lena · 3d ago". */
const watchedDateOf = (page: Page, range: Range | null): string | null => {
  const line = shortTextOf(page, range)?.split("·");
  return line && line.length > 1 ? tidy(line.at(-1), SHORT_TEXT_MAX) : null;
};

const pictureOf = (page: Page, range: Range | null): string | null =>
  range && range.to - range.from <= 2 * ADDRESS_MAX ? pictureUrlOf(decode(rawOf(page, range))) : null;

/** A caption and its hashtags, and where they were read. */
interface Words {
  title: string | null;
  titleSource: Source;
  hashtags: string[];
  areLinked: boolean;
}

const NO_WORDS: Words = { title: null, titleSource: "dom", hashtags: [], areLinked: false };

const wordsOf = (page: Page, card: Card): Words => {
  const fragment = fragmentOf(page, card.caption);
  const [title, titleSource] = titleOf(page, card, fragment);
  const [hashtags, areLinked] = hashtagsOf(card, page, fragment, title);
  return { title, titleSource, hashtags, areLinked };
};

/** Whether the data told each tag that a card links. Most did, and it is cheap to see that. */
const areLinksTold = (page: Page, { tagLinks, caption }: Card, told: readonly string[]): boolean => {
  for (const { text, href } of tagLinks) if (!hasTagLink(told, rawOf(page, text), href)) return false;
  return caption === null || hasTagLinks(told, rawOf(page, caption));
};

/** Of a caption that the data told only the linked tags: its text may be cut, and with it a tag that is not linked. */
const linkedWordsOf = (page: Page, card: Card, told: readonly string[]): Words => {
  if (areLinksTold(page, card, told)) return NO_WORDS;
  const [hashtags, areLinked] = hashtagsOf(card, page, fragmentOf(page, card.caption), null);
  return { ...NO_WORDS, hashtags, areLinked };
};

/**
 * Reads what a card tells of its video. What the page's data told of it already is exact and whole, and is not read
 * again.
 */
export const readCard = (page: Page, card: Card, address: VideoAddress, known?: Reading): Reading => {
  const told = known && known.title !== null && known.hashtags.length > 0 ? known.hashtags : null;
  const { title, titleSource, hashtags, areLinked } = told ? linkedWordsOf(page, card, told) : wordsOf(page, card);
  const author = address.author ?? card.authorLink ?? authorOf(shortTextOf(page, card.author));
  const thumbnail_url = known?.thumbnail_url ? null : pictureOf(page, card.pictureSource);
  const views_count = known?.views_count ? null : countOf(page, card, "views");
  const likes_count = known?.likes_count ? null : countOf(page, card, "likes");
  const date_posted = card.page === "video" ? watchedDateOf(page, card.date) : shortTextOf(page, card.date);
  const { id, kind } = address;
  return {
    id,
    kind,
    author,
    title,
    thumbnail_url,
    views_count,
    likes_count,
    date_posted,
    createTime: null,
    hashtags,
    sources: {
      title: sourceIf(title, titleSource),
      author: sourceIf(author, address.author || card.authorLink ? "link" : "dom"),
      thumbnail_url: sourceIf(thumbnail_url, "dom"),
      views_count: sourceIf(views_count, "dom"),
      likes_count: sourceIf(likes_count, "dom"),
      date_posted: sourceIf(date_posted, "dom"),
      hashtags: sourceIf(hashtags.length > 0, areLinked ? "dom" : titleSource),
    },
    offset: card.offset,
  };
};

/** What a fragment reads: its text with references resolved, and its links to hashtags. */
interface Fragment {
  text: string;
  tagLinks: { text: string; href: string }[];
}

/** Parts of a caption's element that belong to the row of the author below it. */
const ASIDE = /\bdata-e2e="[^"]*(?:user|nickname|time|count|badge)/;

const isAside = (node: HTMLElement): boolean => ASIDE.test(node.rawAttrs);

const linkOf = (node: HTMLElement): string | null => {
  const href = node.rawTagName === "a" ? node.getAttribute("href") : undefined;
  return href?.includes("/tag/") ? href : null;
};

const collectInto = (fragment: Fragment, node: Node): void => {
  if (!(node instanceof HTMLElement)) fragment.text += node.rawText;
  else if (!isAside(node)) {
    const href = linkOf(node);
    if (href) fragment.tagLinks.push({ text: node.text, href });
    for (const child of node.childNodes) collectInto(fragment, child);
  }
};

/** The depth of what is parsed is bounded, so that recursion is. */
const collect = (root: HTMLElement): Fragment => {
  const fragment: Fragment = { text: "", tagLinks: [] };
  collectInto(fragment, root);
  return { ...fragment, text: decode(fragment.text) };
};

/** One pass: a pattern would look for the end of each comment anew. */
const withoutComments = (html: string): string => {
  let clean = "";
  let from = 0;
  for (let at = html.indexOf("<!--"); at >= 0; at = html.indexOf("<!--", from)) {
    clean += html.slice(from, at);
    const end = html.indexOf("-->", at + 2);
    if (end < 0) return clean;
    from = end + 3;
  }
  return clean + html.slice(from);
};

/** The text between tags, for markup that is too tangled for a tree. */
const strip = (html: string): string => {
  const scanner = new TagScanner(html);
  let text = "";
  let from = 0;
  while (scanner.next()) {
    text += html.slice(from, scanner.from);
    from = scanner.textTo;
  }
  return decode(text + html.slice(from));
};

/** An opening tag as browsers write it out: here the parser and what is checked below cannot be of two minds. */
const PLAIN_TAG = /<[a-z][a-z0-9]*(?:\s+[a-zA-Z_:][\w:.-]*(?:="[^"<>]*")?)*\s*\/?>/y;
const COMMENT = "<!--";
const COMMENT_END = "-->";
const BANG = 33;
const SLASH = 47;
const GREATER = 62;
const HREF = /\shref="([^"]*)"/;
const VOID = new Set(["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]);

/** A name of a plain tag is of small letters and digits. */
const endOfName = (html: string, from: number): number => {
  let at = from;
  while (html.charCodeAt(at) > SLASH && html.charCodeAt(at) !== GREATER) at += 1;
  return at;
};

/** Reads a fragment from front to back. Each tag must be plainly written, and close what was opened last. */
class FragmentReader {
  readonly fragment: Fragment = { text: "", tagLinks: [] };
  /** Whether something is nested that takes a tree to be left out. */
  isComposed = false;
  private readonly html: string;
  private readonly hasAside: boolean;
  private readonly open: string[] = [];
  private link: { text: string; href: string } | null = null;

  constructor(html: string) {
    this.html = html;
    this.hasAside = ASIDE.test(html);
  }

  /** False for markup that is out of order, or beyond the limits. */
  read({ fragmentTags, fragmentDepth }: Limits): boolean {
    const { html } = this;
    let from = 0;
    let tags = 0;
    for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", from)) {
      if (at > from) this.takeText(html.slice(from, at));
      if (html.charCodeAt(at + 1) === BANG && html.startsWith(COMMENT, at)) {
        const end = html.indexOf(COMMENT_END, at + 2);
        if (end < 0) return false;
        from = end + COMMENT_END.length;
        continue;
      }
      tags += 1;
      if (tags > fragmentTags) return false;
      from = html.charCodeAt(at + 1) === SLASH ? this.takeClosing(at) : this.takeOpening(at);
      if (from < 0 || this.open.length > fragmentDepth) return false;
    }
    this.fragment.text = decode(this.fragment.text + html.slice(from));
    return this.open.length === 0;
  }

  private takeText(text: string): void {
    if (this.link) this.link.text += text;
    else this.fragment.text += text;
  }

  /** Answers what follows the closing tag at a place; -1 when it does not close what was opened last. */
  private takeClosing(from: number): number {
    const { html } = this;
    const last = this.open.pop();
    if (last === undefined || !html.startsWith(last, from + 2)) return -1;
    const end = from + 2 + last.length;
    if (html.charCodeAt(end) !== GREATER) return -1;
    if (last === "a") this.endLink();
    return end + 1;
  }

  /** Answers what follows the opening tag at a place; -1 when it is not written plainly. */
  private takeOpening(from: number): number {
    const { html } = this;
    PLAIN_TAG.lastIndex = from;
    if (!PLAIN_TAG.test(html)) return -1;
    const to = PLAIN_TAG.lastIndex;
    if (html.charCodeAt(to - 2) === SLASH) return to;
    const nameEnd = endOfName(html, from + 1);
    const opening = html.slice(from + 1, nameEnd);
    if (VOID.has(opening)) return to;
    this.open.push(opening);
    if (this.hasAside) this.isComposed ||= ASIDE.test(html.slice(nameEnd, to - 1));
    if (opening === "a") this.beginLink(HREF.exec(html.slice(nameEnd, to - 1))?.[1] ?? "");
    return to;
  }

  private beginLink(href: string): void {
    this.isComposed ||= this.link !== null;
    this.link = href.includes("/tag/") ? { text: "", href } : null;
  }

  private endLink(): void {
    if (!this.link) return;
    const { text, href } = this.link;
    this.fragment.text += text;
    this.fragment.tagLinks.push({ text: decode(text), href });
    this.link = null;
  }
}

/**
 * Reads a bounded piece of markup; null when it is beyond the limits. Most captions are a row of texts and links, read
 * as they come. Those with other parts in them are parsed. The parser is quadratic on elements that are nested deeply
 * or not closed in order: it never sees such, their tags are taken out instead.
 */
const readFragment = (html: string, limits: Limits): Fragment | null => {
  if (!html.includes("<")) return { text: decode(html), tagLinks: [] };
  if (html.length > limits.fragmentLength) return null;
  const first = new FragmentReader(html);
  if (first.read(limits) && !first.isComposed) return first.fragment;
  const clean = withoutComments(html);
  const reader = new FragmentReader(clean);
  if (!reader.read(limits)) return { text: strip(clean), tagLinks: [] };
  return reader.isComposed ? collect(parse(clean)) : reader.fragment;
};
