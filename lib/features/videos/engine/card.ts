import type { Card, Range, Skips } from "./cards.ts";
import { type Fragment, readFragment } from "./fragment.ts";
import { authorOf, decode, Hashtags, hasTagLink, hasTagLinks, imageUrlOf, tidy, type VideoLink } from "./text.ts";
import { CAPTION_MAX, type Limits, SHORT_TEXT_MAX, type Source, type SourcedField, URL_MAX } from "./types.ts";

/** What one source (a card or embedded data) contains about a video; null when missing. */
export interface Reading {
  id: string;
  kind: VideoLink["kind"];
  author: string | null;
  title: string | null;
  thumbnail_url: string | null;
  views_count: string | null;
  likes_count: string | null;
  date_posted: string | null;
  /** Unix seconds, in a plausible year. */
  createTime: number | null;
  duration_seconds: number | null;
  hashtags: string[];
  sources: Record<SourcedField, Source | null>;
  /** Whether it is a video for certain: other things in the data have ids and captions too. */
  isCertain: boolean;
  offset: number;
}

export const sourceIf = (value: unknown, source: Source): Source | null => (value ? source : null);

export interface Page {
  html: string;
  limits: Limits;
  skips: Skips;
}

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

/** English pages since 2025 write "<caption> created by <nickname> with <sound>" as alt text. */
const BY = " created by";
const captionOfAlt = (alt: string): string => {
  const latest = alt.lastIndexOf(" with ") - BY.length;
  if (latest < -1) return alt;
  const end = latest < 0 ? -1 : alt.lastIndexOf(`${BY} `, latest);
  if (end >= 0) return alt.slice(0, end);
  return alt.startsWith(`${BY.slice(1)} `) ? "" : alt;
};

/** A link's title is truncated: "Soup for tired peo… TikTok". */
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
  const count = card.counts.find(({ icon, fallback }) => (icon ? meaning[icon] : fallback) === wanted);
  const text = count ? shortTextOf(page, count) : null;
  return text && (/\d/.test(text) || /\p{N}/u.test(text)) ? text : null;
};

/** The last part of the line under the author of a video page or a feed's card: "Lena · 3d ago". */
const watchedDateOf = (page: Page, range: Range | null): string | null => {
  const line = shortTextOf(page, range)?.split("·");
  return line && line.length > 1 ? tidy(line.at(-1), SHORT_TEXT_MAX) : null;
};

const imageOf = (page: Page, range: Range | null): string | null =>
  range && range.to - range.from <= 2 * URL_MAX ? imageUrlOf(decode(rawOf(page, range))) : null;

interface CaptionText {
  title: string | null;
  titleSource: Source;
  hashtags: string[];
  areLinked: boolean;
}

const NO_TEXT: CaptionText = { title: null, titleSource: "dom", hashtags: [], areLinked: false };

const captionTextOf = (page: Page, card: Card): CaptionText => {
  const fragment = fragmentOf(page, card.caption);
  const [title, titleSource] = titleOf(page, card, fragment);
  const [hashtags, areLinked] = hashtagsOf(card, page, fragment, title);
  return { title, titleSource, hashtags, areLinked };
};

/** Whether the embedded data already has each tag that the card links. Usually it does, and the check is cheap. */
const areLinksKnown = (page: Page, { tagLinks, caption }: Card, knownTags: readonly string[]): boolean => {
  for (const { text, href } of tagLinks) if (!hasTagLink(knownTags, rawOf(page, text), href)) return false;
  return caption === null || hasTagLinks(knownTags, rawOf(page, caption));
};

/** The card's caption may be truncated within an unlinked tag, so only linked tags are read. */
const linkedTextOf = (page: Page, card: Card, knownTags: readonly string[]): CaptionText => {
  if (areLinksKnown(page, card, knownTags)) return NO_TEXT;
  const [hashtags, areLinked] = hashtagsOf(card, page, fragmentOf(page, card.caption), null);
  return { ...NO_TEXT, hashtags, areLinked };
};

/** A feed's card may link other users above its author, so that there the name counts first. */
const authorOfCard = (page: Page, card: Card, { author }: VideoLink): [string | null, Source] => {
  if (author) return [author, "link"];
  if (card.page !== "feed" && card.authorLink) return [card.authorLink, "link"];
  const shown = authorOf(shortTextOf(page, card.author));
  return shown ? [shown, "dom"] : [card.authorLink, "link"];
};

/** Reads a card's video. Fields known from the page's embedded data are exact and not read again. */
export const readCard = (page: Page, card: Card, videoLink: VideoLink, known?: Reading): Reading => {
  const knownTags = known && known.title !== null && known.hashtags.length > 0 ? known.hashtags : null;
  const { title, titleSource, hashtags, areLinked } = knownTags
    ? linkedTextOf(page, card, knownTags)
    : captionTextOf(page, card);
  const [author, authorSource] = authorOfCard(page, card, videoLink);
  const thumbnail_url = known?.thumbnail_url ? null : imageOf(page, card.imageSource);
  const views_count = known?.views_count ? null : countOf(page, card, "views");
  const likes_count = known?.likes_count ? null : countOf(page, card, "likes");
  const isWatched = card.page === "video" || card.page === "feed";
  const date_posted = isWatched ? watchedDateOf(page, card.date) : shortTextOf(page, card.date);
  const { id, kind } = videoLink;
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
    duration_seconds: null,
    hashtags,
    sources: {
      title: sourceIf(title, titleSource),
      author: sourceIf(author, authorSource),
      thumbnail_url: sourceIf(thumbnail_url, "dom"),
      views_count: sourceIf(views_count, "dom"),
      likes_count: sourceIf(likes_count, "dom"),
      date_posted: sourceIf(date_posted, "dom"),
      duration_seconds: null,
      hashtags: sourceIf(hashtags.length > 0, areLinked ? "dom" : titleSource),
    },
    isCertain: true,
    offset: card.offset,
  };
};
