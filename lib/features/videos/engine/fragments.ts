import { HTMLElement, type Node, parse } from "node-html-parser";
import { TagScanner } from "./scan-tags.ts";
import { decode } from "./text.ts";
import type { Limits } from "./types.ts";

/** What a fragment reads: its text with references resolved, and its links to hashtags. */
export interface Fragment {
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
export const readFragment = (html: string, limits: Limits): Fragment | null => {
  if (!html.includes("<")) return { text: decode(html), tagLinks: [] };
  if (html.length > limits.fragmentLength) return null;
  const first = new FragmentReader(html);
  if (first.read(limits) && !first.isComposed) return first.fragment;
  const clean = withoutComments(html);
  const reader = new FragmentReader(clean);
  if (!reader.read(limits)) return { text: strip(clean), tagLinks: [] };
  return reader.isComposed ? collect(parse(clean)) : reader.fragment;
};
