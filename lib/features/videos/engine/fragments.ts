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

/** A tag as browsers write it out: here the parser and what is checked below cannot be of two minds. */
const PLAIN_TAG = /<(?:\/([a-z][a-z0-9]*)|([a-z][a-z0-9]*)((?:\s+[a-zA-Z_:][\w:.-]*(?:="[^"<>]*")?)*)\s*(\/?))>/y;
const HREF = /\shref="([^"]*)"/;
const VOID = new Set(["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]);

/** Reads a fragment from front to back. Each tag must be plainly written, and close what was opened last. */
class FragmentReader {
  readonly fragment: Fragment = { text: "", tagLinks: [] };
  /** Whether something is nested that takes a tree to be left out. */
  isComposed = false;
  private readonly open: string[] = [];
  private link: { from: number; href: string } | null = null;

  /** False for markup that is out of order, or beyond the limits. */
  read(html: string, { fragmentTags, fragmentDepth }: Limits): boolean {
    let from = 0;
    let tags = 0;
    for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", from)) {
      if (at > from) this.fragment.text += html.slice(from, at);
      PLAIN_TAG.lastIndex = at;
      const found = PLAIN_TAG.exec(html);
      tags += 1;
      if (!found || tags > fragmentTags || !this.takeTag(found) || this.open.length > fragmentDepth) return false;
      from = PLAIN_TAG.lastIndex;
    }
    this.fragment.text = decode(this.fragment.text + html.slice(from));
    return this.open.length === 0;
  }

  private takeTag([, closing, opening = "", attributes = "", slash]: RegExpExecArray): boolean {
    if (closing !== undefined) {
      if (this.open.pop() !== closing) return false;
      if (closing === "a") this.endLink();
    } else if (slash === "" && !VOID.has(opening)) {
      this.open.push(opening);
      this.isComposed ||= attributes.includes("data-e2e") && ASIDE.test(attributes);
      if (opening === "a") this.beginLink(HREF.exec(attributes)?.[1] ?? "");
    }
    return true;
  }

  private beginLink(href: string): void {
    this.isComposed ||= this.link !== null;
    this.link = href.includes("/tag/") ? { from: this.fragment.text.length, href } : null;
  }

  private endLink(): void {
    if (!this.link) return;
    const { from, href } = this.link;
    this.fragment.tagLinks.push({ text: decode(this.fragment.text.slice(from)), href });
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
  const clean = withoutComments(html);
  const reader = new FragmentReader();
  if (!reader.read(clean, limits)) return { text: strip(clean), tagLinks: [] };
  return reader.isComposed ? collect(parse(clean)) : reader.fragment;
};
