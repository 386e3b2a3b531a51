import "server-only";
import { Parser } from "htmlparser2";
import { dateOrNull, tidy, tidyUrl } from "#lib/features/pages/tidy.ts";
import { ENTRIES_MAX, ENTRY_LIMITS } from "./constants.ts";
import type { PageEntry } from "./schema.ts";

const DEPTH_MAX = 50;
const PIECE_CHARS = 16_384;
const VALUE_CHARS = 2_000;
/** Contents are only searched for an image. */
const CONTENT_CHARS = 50_000;

type Attributes = Record<string, string>;

/** What of an item is known so far, untrimmed. */
interface Draft {
  isSitemap: boolean;
  link: string;
  guid: string;
  title: string;
  date: string;
  image: string;
  content: string;
  tags: string[];
}

const newDraft = (isSitemap: boolean): Draft => ({
  ...{ isSitemap, link: "", guid: "", title: "", date: "", image: "", content: "" },
  tags: [],
});

type XmlKind = "feed" | "sitemap" | "index";

const ROOTS: Readonly<Record<string, XmlKind>> = {
  ...{ rss: "feed", feed: "feed", "rdf:rdf": "feed" },
  ...{ urlset: "sitemap", sitemapindex: "index" },
};

const ITEMS = new Set(["item", "entry", "url", "sitemap"]);

/** Children of an item by what they say; the first one counts. */
const LINKS = new Set(["link", "loc"]);
const DATES = new Set(["pubdate", "published", "dc:date", "lastmod", "updated", "news:publication_date"]);
const TITLES = new Set(["title", "news:title"]);
const TAGS = new Set(["category", "media:category"]);
const IMAGES = new Set(["image:loc"]);
const CONTENTS = new Set(["content:encoded", "content", "description", "summary"]);

const isImage = ({ type = "", medium = "", url = "" }: Attributes): boolean =>
  /^image\//i.test(type) || /^image$/i.test(medium) || /\.(jpe?g|png|webp|gif)(\?|$)/i.test(url);

const imageInContent = (content: string): string =>
  /<img\b[^>]{0,1000}?\bsrc\s*=\s*["']([^"']{1,2000})["']/i.exec(content)?.[1]?.replaceAll("&amp;", "&") ?? "";

/** What an RSS or Atom feed, a sitemap, or an index of sitemaps says. */
export interface XmlDocument {
  /** Null for anything else. */
  kind: XmlKind | null;
  title: string | null;
  entries: PageEntry[];
  /** Of an index. */
  sitemaps: { url: string; date: Date | null }[];
  isCut: boolean;
  /** It declares entities of its own, which nothing expands. */
  hasEntities: boolean;
}

const newDocument = (): XmlDocument => ({
  ...{ kind: null, title: null, entries: [], sitemaps: [] },
  ...{ isCut: false, hasEntities: false },
});

/** Collects while the parser reads, within bounds. */
class Collector {
  readonly document = newDocument();
  private readonly base: string;
  private readonly urls = new Set<string>();
  private depth = 0;
  private itemDepth = 0;
  private draft: Draft | null = null;
  private text = "";
  private isCollecting = false;

  constructor(base: string) {
    this.base = base;
  }

  isFull(): boolean {
    const { document } = this;
    return document.isCut || document.hasEntities || this.depth > DEPTH_MAX;
  }

  open(name: string, attributes: Attributes): void {
    this.depth += 1;
    if (this.depth === 1) this.document.kind = ROOTS[name] ?? null;
    this.text = "";
    // Only elements without children of their own have a value.
    this.isCollecting = true;
    if (this.draft === null && ITEMS.has(name)) {
      this.draft = newDraft(name === "sitemap");
      this.itemDepth = this.depth;
    } else if (this.draft) this.readAttributes(this.draft, name, attributes);
  }

  private readAttributes(draft: Draft, name: string, attributes: Attributes): void {
    const { href, rel = "alternate", term, url } = attributes;
    if (name === "link" && href && rel === "alternate") draft.link ||= href;
    if (name === "category" && term) this.addTag(draft, term);
    const isMedia = name === "media:thumbnail" || ((name === "media:content" || name === "enclosure") && url);
    if (isMedia && url && (name === "media:thumbnail" || isImage(attributes))) draft.image ||= url;
    if (name === "link" && href && rel === "enclosure" && isImage(attributes)) draft.image ||= href;
  }

  private addTag(draft: Draft, tag: string): void {
    if (draft.tags.length < ENTRY_LIMITS.tags) draft.tags.push(tag);
  }

  addText(text: string): void {
    if (this.isCollecting) this.text += text.slice(0, CONTENT_CHARS - this.text.length);
  }

  close(name: string): void {
    const { draft } = this;
    if (draft && this.depth === this.itemDepth) this.finish(draft);
    else if (draft) this.readValue(draft, name, this.text);
    else if (name === "title" && this.depth <= 3) {
      this.document.title ??= tidy(this.text.slice(0, VALUE_CHARS), ENTRY_LIMITS.title);
    }
    this.isCollecting = false;
    this.depth -= 1;
  }

  /** Titles, links, and dates inside of an author or a source say something else. */
  private readValue(draft: Draft, name: string, text: string): void {
    const value = text.slice(0, VALUE_CHARS).trim();
    const isOwn = this.depth === this.itemDepth + 1;
    if (IMAGES.has(name)) draft.image ||= value;
    else if (/^news:/.test(name) && TITLES.has(name)) draft.title ||= value;
    else if (DATES.has(name) && (isOwn || name.startsWith("news:"))) draft.date ||= value;
    else if (!isOwn) return;
    else if (LINKS.has(name)) draft.link ||= value;
    else if (TITLES.has(name)) draft.title ||= value;
    else if (TAGS.has(name) && value) this.addTag(draft, value);
    else if (CONTENTS.has(name)) draft.content ||= imageInContent(text);
    else if (name === "guid" || name === "id") draft.guid ||= value;
  }

  private finish(draft: Draft): void {
    this.draft = null;
    const url = tidyUrl(draft.link || (/^https?:/i.test(draft.guid) ? draft.guid : ""), this.base);
    const { document } = this;
    if (url === null || this.urls.has(url) || document.hasEntities) return;
    if (document.entries.length + document.sitemaps.length >= ENTRIES_MAX) {
      document.isCut = true;
      return;
    }
    this.urls.add(url);
    const date = dateOrNull(draft.date);
    if (draft.isSitemap) document.sitemaps.push({ url, date });
    else {
      document.entries.push({
        ...{ url, date },
        title: tidy(draft.title, ENTRY_LIMITS.title),
        image: tidyUrl(draft.image || draft.content, this.base),
        tags: draft.tags.flatMap((tag) => tidy(tag, ENTRY_LIMITS.tag) ?? []),
      });
    }
  }
}

const ROOT = /^<(?:rss|feed|rdf:rdf|urlset|sitemapindex)(?![\w:-])/i;
const ROOT_CHARS = 20;
const DOCTYPE = /^<!doctype\s/i;

/** Where what starts at `at` ends, with `end`; the end of the text if it doesn't. */
const after = (text: string, at: number, end: string): number => {
  const found = text.indexOf(end, at);
  return found < 0 ? text.length : found + end.length;
};

/**
 * Whether a document that begins like this is for `createXmlReader`: after comments and the like, a root that it knows, or
 * entities that the document declares. Takes time in proportion to the text.
 */
export const beginsAsXml = (beginning: string): boolean => {
  let at = 0;
  while (at < beginning.length) {
    const char = beginning.charAt(at);
    const start = beginning.slice(at, at + ROOT_CHARS);
    if (/[\s\ufeff]/.test(char)) at += 1;
    else if (start.startsWith("<?")) at = after(beginning, at, ">");
    else if (start.startsWith("<!--")) at = after(beginning, at + 4, "-->");
    else if (DOCTYPE.test(start)) {
      if (/^<!doctype\s+html/i.test(start)) return false;
      const end = after(beginning, at, ">");
      if (beginning.slice(at, end).includes("[")) return true;
      at = end;
    } else return ROOT.test(start);
  }
  return false;
};

interface XmlReader {
  /** False once the rest doesn't matter. Takes time in proportion to the text. */
  write(text: string): boolean;
  end(): XmlDocument;
}

/**
 * Reads a feed or sitemap piece by piece. Entities that a document declares are never expanded: the parser knows none
 * but XML's own, and reading ends at a declaration.
 */
export const createXmlReader = (base: string): XmlReader => {
  const collector = new Collector(base);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => collector.open(name.toLowerCase(), attributes),
      ontext: (text) => collector.addText(text),
      onclosetag: (name) => collector.close(name.toLowerCase()),
      onprocessinginstruction: (_, data) => {
        if (/^!doctype[^[]*\[|^!entity/i.test(data)) collector.document.hasEntities = true;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  return {
    write: (text) => {
      // The parser needs quadratic time for nested elements, so it gets no more at once than it may nest.
      for (let at = 0; at < text.length && !collector.isFull(); at += PIECE_CHARS) {
        parser.write(text.slice(at, at + PIECE_CHARS));
      }
      return !collector.isFull();
    },
    end: () => {
      if (!collector.isFull()) parser.end();
      return collector.document;
    },
  };
};
