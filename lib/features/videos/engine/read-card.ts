import { authorOf, pictureUrlOf, type VideoAddress } from "./addresses.ts";
import type { Card, Range } from "./cards.ts";
import { type Fragment, readFragment } from "./fragments.ts";
import { Hashtags } from "./hashtags.ts";
import { ADDRESS_MAX, CAPTION_MAX, SHORT_TEXT_MAX } from "./limits.ts";
import type { Skips } from "./skips.ts";
import { decode, tidy } from "./text.ts";
import type { Limits, Source, SourcedField } from "./types.ts";

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
  sources: Partial<Record<SourcedField, Source>>;
  offset: number;
}

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
const captionOfAlt = (alt: string): string => {
  const line = ` ${alt}`;
  const latest = line.lastIndexOf(" with ") - " created by".length;
  const end = latest < 0 ? -1 : line.lastIndexOf(" created by ", latest);
  return end < 0 ? alt : line.slice(1, end);
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
const lineOf = (page: Page, range: Range | null): string =>
  tidy(decode(rawOf(page, range && { ...range, to: Math.min(range.to, range.from + ATTRIBUTE_MAX) })), ATTRIBUTE_MAX) ??
  "";

const titleOf = (page: Page, card: Card, fragment: Fragment | null): [string | null, Source] => {
  const shown = tidy(fragment?.text, CAPTION_MAX);
  if (shown) return [shown, "dom"];
  const alt = tidy(captionOfAlt(lineOf(page, card.alt)), CAPTION_MAX);
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

/** Reads what a card tells of its video. */
export const readCard = (page: Page, card: Card, address: VideoAddress): Reading => {
  const fragment = fragmentOf(page, card.caption);
  const [title, titleSource] = titleOf(page, card, fragment);
  const [hashtags, areLinked] = hashtagsOf(card, page, fragment, title);
  const author = address.author ?? card.authorLink ?? authorOf(shortTextOf(page, card.author));
  const thumbnail_url = pictureOf(page, card.pictureSource);
  const views_count = countOf(page, card, "views");
  const likes_count = countOf(page, card, "likes");
  const date_posted = card.page === "video" ? watchedDateOf(page, card.date) : shortTextOf(page, card.date);
  const sources: Reading["sources"] = {};
  if (title) sources.title = titleSource;
  if (author) sources.author = address.author || card.authorLink ? "link" : "dom";
  if (thumbnail_url) sources.thumbnail_url = "dom";
  if (views_count) sources.views_count = "dom";
  if (likes_count) sources.likes_count = "dom";
  if (date_posted) sources.date_posted = "dom";
  if (hashtags.length > 0) sources.hashtags = areLinked ? "dom" : titleSource;
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
    sources,
    offset: card.offset,
  };
};
