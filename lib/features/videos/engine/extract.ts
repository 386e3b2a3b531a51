import { type Page, type Reading, readCard } from "./card.ts";
import { type Card, Skips } from "./cards.ts";
import { readData } from "./embedded-data.ts";
import { ATTRIBUTE, codeOf, TagScanner } from "./html.ts";
import { type PageParts, PageReader } from "./page-cards.ts";
import {
  authorOf,
  authorUrl,
  Hashtags,
  parseVideoLink,
  timeOf,
  uploadTimeOf,
  type VideoLink,
  videoUrl,
} from "./text.ts";
import { type ExtractedVideo, type Extraction, LIMITS, type Limits, type NoticeKind, type PageKind } from "./types.ts";

interface ExtractOptions {
  onProgress?: (share: number) => void;
  limits?: Partial<Limits>;
}

const PROGRESS_STEP = 1_024 * 1_024;

const reporter = (total: number, onProgress: ExtractOptions["onProgress"]): ((position: number) => void) => {
  let next = PROGRESS_STEP;
  return (position) => {
    if (position < next) return;
    next = position + PROGRESS_STEP;
    onProgress?.((0.9 * Math.min(position, total)) / total);
  };
};

/** R-VID-24: a card that fails is skipped and counted. */
const readSafely = (page: Page, card: Card, data: ReadonlyMap<string, Reading>): Reading | null => {
  try {
    return card.videoLink && readCard(page, card, card.videoLink, data.get(card.videoLink.id));
  } catch {
    // Only a bug can get here. It may cost one video, but never the page.
    page.skips.add("unreadable", card.offset);
    return null;
  }
};

const kindOf = ({ pages, watched }: PageParts, readings: readonly Reading[]): PageKind => {
  if (watched) return "video";
  let kind: PageKind = "unknown";
  let max = 0;
  for (const [page, count] of pages) if (count > max) [kind, max] = [page, count];
  return kind === "unknown" && readings.length === 1 && readings[0]?.sources.title === "json" ? "video" : kind;
};

/** Data may be left over from the page before: it adds only videos of the profile's author, or the head's one. */
const belongsTo = (
  parts: PageParts,
  shown: readonly Reading[],
  ownLinks: readonly VideoLink[],
  data: ReadonlyMap<string, Reading>,
): ((reading: Reading) => boolean) => {
  if (data.size === 0 || (parts.cards.length === 0 && !parts.watched)) return () => true;
  const kind = kindOf(parts, shown);
  if (kind === "unknown") return ({ id }) => ownLinks.some((videoLink) => videoLink.id === id);
  const [only, ...others] = new Set(shown.map(({ author }) => author?.toLowerCase()));
  const isProfile = kind === "profile" && others.length === 0 && shown.some(({ id }) => data.has(id));
  return ({ author }) => isProfile && author !== null && author.toLowerCase() === only;
};

const mergeSources = (page: Page, parts: PageParts, data: ReadonlyMap<string, Reading>): Reading[] => {
  const ownLinks = ownLinksOf(page.html, parts.canonical);
  const watched = parts.watched && readWatched(page, parts.watched, ownLinks, data);
  const listed = parts.cards.map((card) => readSafely(page, card, data)).filter((reading) => reading !== null);
  const shown = watched ? [watched, ...listed.filter(({ id }) => id !== watched.id)] : listed;
  const seen = new Set(shown.map(({ id }) => id));
  const isOfPage = belongsTo(parts, shown, ownLinks, data);
  const merged = shown.map((reading) => {
    const fromData = data.get(reading.id);
    return fromData ? mergeReadings(reading, fromData) : reading;
  });
  for (const [id, reading] of data) {
    if (seen.has(id)) continue;
    if (isOfPage(reading)) merged.push(reading);
    else page.skips.add("not-shown", reading.offset);
  }
  return merged;
};

const toVideos = (page: Page, readings: readonly Reading[]): ExtractedVideo[] => {
  const videos: ExtractedVideo[] = [];
  for (const reading of readings) {
    const video = videos.length < page.limits.videos ? toVideo(reading, videos.length + 1) : null;
    if (video) videos.push(video);
    else page.skips.add(reading.author === null ? "no-link" : "too-many", reading.offset);
  }
  return videos;
};

const NO_PARTS: PageParts = { cards: [], watched: null, canonical: [], data: [], pages: new Map() };

/** Runs and fetches nothing (R-VID-31). Linear; never throws: unreadable parts are skipped and counted (R-VID-24). */
export const extract = (html: string, options: ExtractOptions = {}): Extraction => {
  const limits = { ...LIMITS, ...options.limits };
  const skips = new Skips();
  const page: Page = { html, limits, skips };
  const end = Math.min(html.length, limits.pageLength);
  if (html.length > end) skips.add("too-large", end);
  const isAnswer = /^[\s\uFEFF]*[{[]/.test(html);
  const onPosition = reporter(end, options.onProgress);
  const parts = isAnswer ? NO_PARTS : new PageReader(html, limits, skips).read(onPosition);
  const data = new Map<string, Reading>();
  if (isAnswer) readData(page, 0, end, data);
  for (const { from, to } of parts.data) readData(page, from, to, data);
  const readings = mergeSources(page, parts, data);
  const videos = toVideos(page, readings);
  options.onProgress?.(1);
  return {
    videos,
    page: isAnswer ? "api" : kindOf(parts, readings),
    notice: videos.length > 0 ? null : noticeOf(html, limits, parts),
    skipped: skips.list(),
  };
};

const joinHashtags = (fromData: string[], shown: readonly string[]): string[] => {
  if (shown.every((tag) => fromData.includes(tag))) return fromData;
  const hashtags = new Hashtags();
  for (const tag of fromData) hashtags.addKnown(tag);
  for (const tag of shown) hashtags.addKnown(tag);
  return hashtags.list();
};

const sourcesOf = ({ sources }: Reading): ExtractedVideo["sources"] => {
  const known: ExtractedVideo["sources"] = {};
  if (sources.title) known.title = sources.title;
  if (sources.author) known.author = sources.author;
  if (sources.thumbnail_url) known.thumbnail_url = sources.thumbnail_url;
  if (sources.views_count) known.views_count = sources.views_count;
  if (sources.likes_count) known.likes_count = sources.likes_count;
  if (sources.date_posted) known.date_posted = sources.date_posted;
  if (sources.hashtags) known.hashtags = sources.hashtags;
  return known;
};

/** The data has exact counts and the full caption; the page fills the gaps. */
const mergeReadings = (shown: Reading, data: Reading): Reading => {
  const sources = {
    title: data.sources.title ?? shown.sources.title,
    author: shown.sources.author ?? data.sources.author,
    thumbnail_url: data.sources.thumbnail_url ?? shown.sources.thumbnail_url,
    views_count: data.sources.views_count ?? shown.sources.views_count,
    likes_count: data.sources.likes_count ?? shown.sources.likes_count,
    date_posted: shown.sources.date_posted,
    hashtags: data.sources.hashtags ?? shown.sources.hashtags,
  };
  return {
    id: shown.id,
    kind: shown.kind,
    author: shown.author ?? data.author,
    title: data.title ?? shown.title,
    thumbnail_url: data.thumbnail_url ?? shown.thumbnail_url,
    views_count: data.views_count ?? shown.views_count,
    likes_count: data.likes_count ?? shown.likes_count,
    date_posted: shown.date_posted,
    createTime: data.createTime,
    hashtags: joinHashtags(data.hashtags, shown.hashtags),
    sources,
    offset: shown.offset,
  };
};

/** Null without an author, since the URL needs one. */
const toVideo = (reading: Reading, id: number): ExtractedVideo | null => {
  const { author, title, date_posted } = reading;
  if (author === null) return null;
  const timeOfId = uploadTimeOf(reading.id);
  const uploaded_at = timeOfId ?? (reading.createTime === null ? null : timeOf(reading.createTime));
  const day = uploaded_at?.slice(0, 10) ?? null;
  const sources = sourcesOf(reading);
  if (date_posted === null && day) sources.date_posted = timeOfId ? "id" : "json";
  return {
    id,
    video_url: videoUrl(author, reading),
    title,
    description: title,
    author,
    author_url: authorUrl(author),
    thumbnail_url: reading.thumbnail_url,
    views_count: reading.views_count,
    likes_count: reading.likes_count,
    date_posted: date_posted ?? day,
    uploaded_at,
    hashtags: reading.hashtags,
    sources,
  };
};

interface PageSignals {
  names: Set<string>;
  hasCaptcha: boolean;
  text: string;
}

const SCRIPTS = new Set([codeOf("script"), codeOf("style")]);
const TEXT_MAX = 20_000;
const NAMES_MAX = 2_000;

const readPageSignals = (html: string, limits: Limits): PageSignals => {
  const scanner = new TagScanner(html, 0, Math.min(html.length, limits.pageLength));
  const signals: PageSignals = { names: new Set(), hasCaptcha: false, text: "" };
  let from = 0;
  while (scanner.next()) {
    if (signals.text.length < TEXT_MAX) signals.text += `${html.slice(from, Math.min(scanner.from, from + TEXT_MAX))} `;
    from = SCRIPTS.has(scanner.code) ? scanner.textTo : scanner.to;
    if (scanner.isClosing) continue;
    const name = scanner.raw(ATTRIBUTE["data-e2e"]);
    if (name !== null && name.length < 64 && signals.names.size < NAMES_MAX) signals.names.add(name);
    const id = scanner.raw(ATTRIBUTE.id)?.slice(0, 64) ?? "";
    const classes = scanner.raw(ATTRIBUTE.class)?.slice(0, 256) ?? "";
    signals.hasCaptcha ||= /^captcha/i.test(id) || /(?:^|\s)captcha[_-]/i.test(classes);
  }
  if (signals.text.length < TEXT_MAX) signals.text += html.slice(from, from + TEXT_MAX);
  return signals;
};

const REMOVED_STATUS = /"statusCode"\s*:\s*"?102(?:04|15|16|17|22|31)\b/;
const REMOVED_TEXT =
  /video (?:is )?(?:currently )?unavailable|couldn.t find this|video is private|video has been removed/i;
const CAPTCHA_TEXT = /security check|verify to continue|drag the (?:slider|puzzle)|verify you are human/i;
const LOG_IN_TEXT = /log in to (?:tiktok|continue|see|view)|log in or sign up/i;
/** A login dialog that covers the page; and a login button, which is also on public pages. */
const LOG_IN_COVERS = ["login-modal", "login-title", "login-desc"];
const LOG_IN_WAY = "channel-item";
const SEARCH_TEXT = /something went wrong/i;
const HEADERS =
  /^(?:challenge-|user-(?:title|subtitle|page|post-item-list)|search_|explore-|browse-|video-)|-item-list$/;
const HOME = /tiktok\.com|tiktokcdn|__UNIVERSAL_DATA_FOR_REHYDRATION__|SIGI_STATE/;

/** Guesses why a page has no videos. */
const noticeOf = (html: string, limits: Limits, { data }: PageParts): NoticeKind => {
  const { names, hasCaptcha, text } = readPageSignals(html, limits);
  if (data.some(({ from, to }) => REMOVED_STATUS.test(html.slice(from, to)))) return "removed";
  if (names.has("search-error-title")) return "search-failed";
  if (hasCaptcha || CAPTCHA_TEXT.test(text)) return "captcha";
  if (LOG_IN_COVERS.some((name) => names.has(name))) return "log-in";
  if (REMOVED_TEXT.test(text)) return "removed";
  if (SEARCH_TEXT.test(text)) return "search-failed";
  if ([...names].some((name) => HEADERS.test(name))) return "not-loaded";
  if (names.has(LOG_IN_WAY) || LOG_IN_TEXT.test(text)) return "log-in";
  return data.length > 0 || HOME.test(html.slice(0, limits.pageLength)) ? "not-loaded" : "no-videos";
};

/** Browsers write the original URL into a saved page. */
const SAVED_FROM = /<!-- saved from url=\(\d{1,6}\)(\S{1,500}) -->/;

const ownLinksOf = (html: string, canonical: readonly string[]): VideoLink[] => {
  const saved = SAVED_FROM.exec(html.slice(0, 4_096))?.[1];
  return [...canonical, ...(saved ? [saved] : [])]
    .map(parseVideoLink)
    .filter((videoLink) => videoLink !== null && videoLink !== "bad-id");
};

/** The first letters of a caption, for comparison, because one of two is often truncated. */
const beginningOf = (caption: string | null | undefined): string | null =>
  caption
    ? caption
        .slice(0, 240)
        .replace(/[^\p{L}\p{N}]+/gu, "")
        .toLowerCase()
        .slice(0, 60)
    : null;

const areAlike = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one.startsWith(other) || other.startsWith(one);

const UNKNOWN: VideoLink = { id: "0", kind: "video", author: null };

/** The id is only in the head or the data, which may be stale: author and caption must agree. Null when none fits. */
const readWatched = (
  page: Page,
  card: Card,
  ownLinks: readonly VideoLink[],
  data: ReadonlyMap<string, Reading>,
): Reading | null => {
  const shown = readCard(page, card, UNKNOWN);
  const beginning = beginningOf(shown.title);
  const shownAuthor = shown.author?.toLowerCase();
  const candidates = [...ownLinks, ...data.values()];
  const match = candidates.find(({ id, author }) => {
    const isAuthor = !author || !shownAuthor || author.toLowerCase() === shownAuthor;
    return isAuthor && areAlike(beginning, beginningOf(data.get(id)?.title));
  });
  if (!match) {
    page.skips.add("no-link", card.offset);
    return null;
  }
  const { id, kind } = match;
  const author = authorOf(match.author);
  const sources = { ...shown.sources };
  if (author) sources.author ??= "sources" in match ? "json" : "link";
  return { ...shown, id, kind, author: author ?? shown.author, sources };
};
