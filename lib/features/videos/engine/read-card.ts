import { authorOf, pictureUrlOf, type VideoAddress } from "./addresses.ts";
import type { Card, Range } from "./cards.ts";
import { type Fragment, readFragment } from "./fragments.ts";
import { Hashtags, hasTagLink, hasTagLinks } from "./hashtags.ts";
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
