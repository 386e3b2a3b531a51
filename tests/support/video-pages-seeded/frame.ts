import type { Disguise } from "./disguise.ts";
import type { Period, VideoFacts } from "./facts.ts";
import type { Layout } from "./page.ts";

interface FrameInput {
  layout: Exclude<Layout, "api">;
  period: Period;
  disguise: Disguise;
  /** The script element with the embedded data. */
  data: string;
  cards: readonly string[];
  first: VideoFacts | undefined;
  stylesLength: number;
}

const stylesOf = (d: Disguise, length: number): string => {
  const rules: string[] = [];
  for (let written = 0, n = 0; written < length; n += 1) {
    const rule = `.${d.named(`Rule${n % 40}`).split(" ")[0]}>a[href*="/video/"]::after{content:"<div>";margin:${n}px;}`;
    rules.push(rule);
    written += rule.length;
  }
  return `<style data-emotion="tiktok">${rules.join("")}</style>`;
};

const LISTS = {
  search: "search_top-item-list",
  hashtag: "challenge-item-list",
  profile: "user-post-item-list",
  explore: "explore-item-list",
  discover: "explore-feed-list",
  video: "related-list",
} as const;

/** The header above a list. A profile's title and subtitle were swapped over time. */
const headerOf = ({ layout, period, disguise: d, first }: FrameInput): string => {
  if (layout === "hashtag") {
    const title = d.element("h1", { "data-e2e": "challenge-title" }, "#cooking");
    return title + d.element("h2", { "data-e2e": "challenge-vvcount" }, "20.2M videos");
  }
  if (layout !== "profile" || !first) return "";
  const [title, subtitle] = period <= 2023 ? [first.author, first.nickname] : [first.nickname, first.author];
  return [
    d.element("h1", { "data-e2e": "user-title" }, d.text(title)),
    d.element("h2", { "data-e2e": "user-subtitle" }, d.text(subtitle)),
    d.element("strong", { "data-e2e": "followers-count" }, "12.5K"),
    d.element("strong", { "data-e2e": "likes-count" }, "1.9M"),
  ].join("");
};

/** Decoy markup in a script's string and in a comment. */
const TRAPS =
  `<script>var card='<div data-e2e="search_top-item"><a href="/@trap/video/7000000000000000001">x</a></div>';</script>` +
  `<!-- <div data-e2e="user-post-item"><a href="/@trap/video/7000000000000000002"><img alt="x"></a></div> -->`;

const headOf = ({ layout, disguise: d, first, stylesLength }: FrameInput): string => {
  const address = `https://www.tiktok.com/@${first?.author}/${first?.kind}/${first?.id}`;
  const own = layout === "video" ? d.element("link", { rel: "canonical", href: address }) : "";
  return `<head><meta charset="utf-8"><title>TikTok</title>${own}${stylesOf(d, stylesLength)}</head>`;
};

/** Assembles cards, scripts and styles into a document. */
export function frameOf(input: FrameInput): string {
  const { layout, disguise: d, data, cards } = input;
  const watched = layout === "video" ? (cards[0] ?? "") : "";
  const listed = layout === "video" ? cards.slice(1) : cards;
  const list = d.element("div", { "data-e2e": LISTS[layout], class: d.named("DivItemList") }, listed.join(""));
  const panel = layout === "search" ? d.element("div", { id: "tabs-0-panel-search_top" }, list) : list;
  const app = d.element("div", { id: "app" }, headerOf(input) + watched + d.wrapped(panel));
  return `<!DOCTYPE html><html lang="en">${headOf(input)}<body>${data}${app}${TRAPS}</body></html>`;
}
