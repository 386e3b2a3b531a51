import { load } from "cheerio";
import { parse } from "node-html-parser";
import type { ExpectedVideo } from "#tests/support/video-pages-seeded/page.ts";
import { itemsOf, type RawCard, recordsOf } from "./records.ts";

/** What the extraction needs of a document. */
interface Dom<N> {
  all(selector: string, within?: N): N[];
  attribute(node: N, name: string): string | null;
  text(node: N): string;
}

const CARDS = [
  "[class*='DivItemContainer']",
  "[data-e2e='video-item']",
  "[data-e2e='explore-feed-item']",
  "[class*='DivRelatedItem']",
  "[class*='DivVideoContainer']",
].join(",");
const LINK = "a[href*='/video/'],a[href*='/photo/']";
const CAPTION = [
  "search-card-video-caption",
  "challenge-item-desc",
  "user-post-item-desc",
  "browse-video-desc",
  "video-desc",
]
  .map((name) => `[data-e2e='${name}']`)
  .join(",");
const COUNT = [
  "[data-e2e='search-card-like-container'] strong",
  "[data-e2e='explore-card-like-container'] span",
  "strong[data-e2e='video-views']",
].join(",");
const TIME = "[class*='DivTimeTag'],[data-e2e='browser-nickname'] > span:nth-child(3)";
const SCRIPTS = "script#SIGI_STATE,script#__UNIVERSAL_DATA_FOR_REHYDRATION__";
const PLAY = "M16 10.554V37.4459";

const readCard = <N>(dom: Dom<N>, card: N, canonical: string): RawCard => {
  const textOf = (selector: string): string | null => {
    const [node] = dom.all(selector, card);
    return node ? dom.text(node) : null;
  };
  const [link] = dom.all(LINK, card);
  const image = dom.all("img", card).find((item) => !dom.attribute(item, "src")?.includes("-avt-"));
  return {
    href: (link && dom.attribute(link, "href")) ?? canonical,
    image: image ? dom.attribute(image, "src") : null,
    alt: image ? dom.attribute(image, "alt") : null,
    caption: textOf(CAPTION),
    ago: textOf(TIME),
    count: textOf(COUNT),
    hasPlay: dom.all("path", card).some((path) => dom.attribute(path, "d")?.startsWith(PLAY)),
    likes: textOf("[data-e2e='like-count']"),
    tags: dom.all("a[href*='/tag/']", card).map((tag) => dom.text(tag)),
  };
};

/** The naive way: parse the whole page, then use selectors for everything. */
const readPage = <N>(dom: Dom<N>): ExpectedVideo[] => {
  const [script] = dom.all(SCRIPTS);
  const [canonical] = dom.all("link[rel='canonical']");
  const href = canonical ? (dom.attribute(canonical, "href") ?? "") : "";
  const cards = dom.all(CARDS).map((card) => readCard(dom, card, href));
  return recordsOf(cards, itemsOf(script ? dom.text(script) : "{}"));
};

/** node-html-parser over the whole page. */
export function byNodeHtmlParser(html: string): ExpectedVideo[] {
  const root = parse(html);
  return readPage<ReturnType<typeof parse>>({
    all: (selector, within = root) => within.querySelectorAll(selector),
    attribute: (node, name) => node.getAttribute(name) ?? null,
    // Scripts are data: character references in them are not decoded.
    text: (node) => (node.rawTagName === "script" ? node.rawText : node.text),
  });
}

/** cheerio over the whole page, with its spec-compliant parser. */
export function byCheerio(html: string): ExpectedVideo[] {
  const $ = load(html);
  type Node = Exclude<NonNullable<Parameters<typeof $>[0]>, string | readonly unknown[] | { length: number }>;
  return readPage<Node>({
    all: (selector, within) => (within ? $(within).find(selector) : $(selector)).toArray(),
    attribute: (node, name) => $(node).attr(name) ?? null,
    text: (node) => $(node).text(),
  });
}
