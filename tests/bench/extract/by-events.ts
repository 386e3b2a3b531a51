import { Parser } from "htmlparser2";
import type { ExpectedVideo } from "#tests/support/video-pages-seeded/page.ts";
import { emptyCard, itemsOf, type RawCard, recordsOf } from "./records.ts";

const CARD_CLASS = /DivItemContainer|DivRelatedItem|DivVideoContainer/;
const CARD_NAMES = new Set(["video-item", "explore-feed-item"]);
const CAPTIONS = new Set([
  "search-card-video-caption",
  "challenge-item-desc",
  "user-post-item-desc",
  "browse-video-desc",
  "video-desc",
]);
const DATA = new Set(["SIGI_STATE", "__UNIVERSAL_DATA_FOR_REHYDRATION__"]);
const VIDEO = /\/(?:video|photo)\//;

type Attributes = Record<string, string>;

/** Text that is collected until the element at this depth ends. */
interface Collected {
  depth: number;
  text: string;
  done(text: string): void;
}

/** Handles the events of a page in one pass, without building a tree. */
class PageReader {
  readonly cards: RawCard[] = [];
  json = "{}";
  private canonical = "";
  private depth = 0;
  private card: { depth: number; raw: RawCard } | null = null;
  private collecting: Collected[] = [];
  private countDepth = 0;
  private spanAt: { depth: number; seen: number } | null = null;

  open(tag: string, attributes: Attributes): void {
    this.depth += 1;
    const name = attributes["data-e2e"] ?? "";
    if (tag === "script" && DATA.has(attributes.id ?? "")) this.collect((text) => (this.json = text));
    if (tag === "link" && attributes.rel === "canonical") this.canonical = attributes.href ?? "";
    if (!this.card && (CARD_NAMES.has(name) || CARD_CLASS.test(attributes.class ?? ""))) {
      this.card = { depth: this.depth, raw: emptyCard() };
    }
    if (this.card) this.readInCard(this.card.raw, tag, name, attributes);
  }

  text(text: string): void {
    for (const item of this.collecting) item.text += text;
  }

  close(): void {
    for (let last = this.collecting.at(-1); last?.depth === this.depth; last = this.collecting.at(-1)) {
      this.collecting.pop();
      last.done(last.text);
    }
    if (this.countDepth === this.depth) this.countDepth = 0;
    if (this.spanAt?.depth === this.depth) this.spanAt = null;
    if (this.card?.depth === this.depth) {
      this.cards.push({ ...this.card.raw, href: this.card.raw.href || this.canonical });
      this.card = null;
    }
    this.depth -= 1;
  }

  private collect(done: (text: string) => void): void {
    this.collecting.push({ depth: this.depth, text: "", done });
  }

  private readInCard(raw: RawCard, tag: string, name: string, attributes: Attributes): void {
    if (tag === "a") this.readLink(raw, attributes.href ?? "");
    if (tag === "img" && raw.image === null && !attributes.src?.includes("-avt-")) {
      raw.image = attributes.src ?? "";
      raw.alt = attributes.alt ?? "";
    }
    if (tag === "path" && attributes.d?.startsWith("M16 10.554V37.4459")) raw.hasPlay = true;
    if (CAPTIONS.has(name)) this.collect((text) => (raw.caption ??= text));
    if (attributes.class?.includes("DivTimeTag")) this.collect((text) => (raw.ago ??= text));
    if (name === "like-count") this.collect((text) => (raw.likes ??= text));
    this.readCount(raw, tag, name);
    this.readDate(raw, tag, name);
  }

  private readLink(raw: RawCard, href: string): void {
    if (raw.href === "" && VIDEO.test(href)) raw.href = href;
    if (href.includes("/tag/")) this.collect((text) => raw.tags.push(text));
  }

  private readCount(raw: RawCard, tag: string, name: string): void {
    if (name === "search-card-like-container" || name === "explore-card-like-container") this.countDepth = this.depth;
    const isCount = name === "video-views" || (this.countDepth > 0 && (tag === "strong" || tag === "span"));
    if (isCount) this.collect((text) => (raw.count ??= text));
  }

  private readDate(raw: RawCard, tag: string, name: string): void {
    if (name === "browser-nickname") this.spanAt = { depth: this.depth, seen: 0 };
    else if (this.spanAt && tag === "span" && this.depth === this.spanAt.depth + 1) {
      this.spanAt.seen += 1;
      if (this.spanAt.seen === 3) this.collect((text) => (raw.ago ??= text));
    }
  }
}

/** htmlparser2's events over the whole page. */
export function byEvents(html: string): ExpectedVideo[] {
  const reader = new PageReader();
  const parser = new Parser({
    onopentag: (tag, attributes) => reader.open(tag, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: () => reader.close(),
  });
  parser.end(html);
  return recordsOf(reader.cards, itemsOf(reader.json));
}
