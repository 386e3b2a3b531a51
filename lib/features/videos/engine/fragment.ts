import { HTMLElement, type Node, parse } from "node-html-parser";
import { codeOf, TagScanner, withoutComments } from "./html.ts";
import { decode } from "./text.ts";
import type { Limits } from "./types.ts";

/** The visible text of a part of a card, and the hashtags that it links. */
export interface Fragment {
  text: string;
  tagLinks: { text: string; href: string }[];
}

const ASIDE = /\bdata-e2e="[^"]*(?:user|nickname|time|count|badge)/;

const isAside = (node: HTMLElement): boolean => ASIDE.test(node.rawAttrs);

/** Elements whose text a page does not show, such as the title of an icon. */
const HIDDEN = new Set(
  (
    "style script noscript template title desc metadata " + "textarea iframe noembed noframes audio video canvas object"
  ).split(" "),
);

const isHidden = ({ rawTagName }: HTMLElement): boolean => HIDDEN.has(rawTagName?.toLowerCase() ?? "");

/** Elements that begin on a line of their own: their text does not join the words around them. */
const BREAKS = new Set(
  (
    "address article aside blockquote br dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr li main nav ol option p pre section summary table td th tr ul"
  ).split(" "),
);
const SPACE = " ";

const linkOf = (node: HTMLElement): string | null => {
  const href = node.rawTagName === "a" ? node.getAttribute("href") : undefined;
  return href?.includes("/tag/") ? href : null;
};

const collectInto = (fragment: Fragment, node: Node): void => {
  if (!(node instanceof HTMLElement)) fragment.text += node.rawText;
  else if (!isAside(node) && !isHidden(node)) {
    const space = BREAKS.has(node.rawTagName?.toLowerCase() ?? "") ? SPACE : "";
    const href = linkOf(node);
    fragment.text += space;
    const from = fragment.text.length;
    const link = { text: "", href: href ?? "" };
    if (href) fragment.tagLinks.push(link);
    for (const child of node.childNodes) collectInto(fragment, child);
    if (href) link.text = decode(fragment.text.slice(from));
    fragment.text += space;
  }
};

/** The recursion is safe because the parsed depth is bounded. */
const collect = (root: HTMLElement): Fragment => {
  const fragment: Fragment = { text: "", tagLinks: [] };
  collectInto(fragment, root);
  return { ...fragment, text: decode(fragment.text) };
};

const HIDDEN_CODES = new Set([...HIDDEN].map(codeOf));
const BREAK_CODES = new Set([...BREAKS].map(codeOf));

const strip = (html: string): string => {
  const scanner = new TagScanner(html);
  let text = "";
  let from = 0;
  let hidden = 0;
  let depth = 0;
  while (scanner.next()) {
    if (hidden === 0) text += html.slice(from, scanner.from) + (BREAK_CODES.has(scanner.code) ? SPACE : "");
    from = scanner.textTo;
    if (hidden === 0 && !scanner.isClosing && !scanner.isSelfClosing && HIDDEN_CODES.has(scanner.code)) {
      hidden = scanner.code;
    }
    if (scanner.code === hidden) depth += scanner.isClosing ? -1 : 1;
    if (depth === 0) hidden = 0;
  }
  return decode(hidden === 0 ? text + html.slice(from) : text);
};

/** An opening tag as browsers serialize it. On such tags the parser and the checks below agree. */
const PLAIN_TAG = /<[a-z][a-z0-9]*(?:\s+[a-zA-Z_:][\w:.-]*(?:="[^"<>]*")?)*\s*\/?>/y;
const COMMENT = "<!--";
const COMMENT_END = "-->";
const BANG = 33;
const SLASH = 47;
const GREATER = 62;
const HREF = /\shref="([^"]*)"/;
const VOID = new Set(["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]);

const endOfName = (html: string, from: number): number => {
  let at = from;
  while (html.charCodeAt(at) > SLASH && html.charCodeAt(at) !== GREATER) at += 1;
  return at;
};

/** Every tag must be plain and close the last open one. */
class FragmentReader {
  readonly fragment: Fragment = { text: "", tagLinks: [] };
  /** Whether a nested part must be left out, which needs a parsed tree. */
  isComposed = false;
  private readonly html: string;
  private readonly hasAside: boolean;
  private readonly open: string[] = [];
  private link: { text: string; href: string } | null = null;

  constructor(html: string) {
    this.html = html;
    this.hasAside = ASIDE.test(html);
  }

  /** Returns false for malformed markup, or beyond the limits. */
  read({ fragmentTags, fragmentDepth }: Limits): boolean {
    const { html } = this;
    let from = 0;
    let tags = 0;
    for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", from)) {
      if (at > from) this.handleText(html.slice(from, at));
      if (html.charCodeAt(at + 1) === BANG && html.startsWith(COMMENT, at)) {
        const end = html.indexOf(COMMENT_END, at + 2);
        if (end < 0) return false;
        from = end + COMMENT_END.length;
        continue;
      }
      tags += 1;
      if (tags > fragmentTags) return false;
      from = html.charCodeAt(at + 1) === SLASH ? this.handleClosing(at) : this.handleOpening(at);
      if (from < 0 || this.open.length > fragmentDepth) return false;
    }
    this.fragment.text = decode(this.fragment.text + html.slice(from));
    return this.open.length === 0;
  }

  private handleText(text: string): void {
    if (this.link) this.link.text += text;
    else this.fragment.text += text;
  }

  /** Returns -1 when it does not match the last open tag. */
  private handleClosing(from: number): number {
    const { html } = this;
    const last = this.open.pop();
    if (last === undefined || !html.startsWith(last, from + 2)) return -1;
    const end = from + 2 + last.length;
    if (html.charCodeAt(end) !== GREATER) return -1;
    if (last === "a") this.endLink();
    if (BREAKS.has(last)) this.handleText(SPACE);
    return end + 1;
  }

  /** Returns -1 when it is not plain. */
  private handleOpening(from: number): number {
    const { html } = this;
    PLAIN_TAG.lastIndex = from;
    if (!PLAIN_TAG.test(html)) return -1;
    const to = PLAIN_TAG.lastIndex;
    const nameEnd = endOfName(html, from + 1);
    const opening = html.slice(from + 1, nameEnd);
    if (BREAKS.has(opening)) this.handleText(SPACE);
    if (html.charCodeAt(to - 2) === SLASH || VOID.has(opening)) return to;
    if (HIDDEN.has(opening)) return this.endOfHidden(opening, to);
    this.open.push(opening);
    if (this.hasAside) this.isComposed ||= ASIDE.test(html.slice(nameEnd, to - 1));
    if (opening === "a") this.beginLink(HREF.exec(html.slice(nameEnd, to - 1))?.[1] ?? "");
    return to;
  }

  /** Returns -1 when it is not closed. */
  private endOfHidden(name: string, from: number): number {
    const closing = this.html.indexOf(`</${name}`, from);
    const end = closing < 0 ? -1 : this.html.indexOf(">", closing);
    return end < 0 ? -1 : end + 1;
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

/** Null beyond the limits. The parser is quadratic on deep or misnested markup, so from that only tags are stripped. */
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
