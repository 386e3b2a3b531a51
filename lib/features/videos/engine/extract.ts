import { type Page, type Reading, readCard } from "./card.ts";
import { type Card, Skips } from "./cards.ts";
import { type PageDocument, readDocuments } from "./documents.ts";
import { readData } from "./embedded-data.ts";
import { combineReadings, mergeReadings, toVideo } from "./merge.ts";
import { noticeOf } from "./notices.ts";
import type { PageParts } from "./page-cards.ts";
import { decodePaste, sourceShownBy } from "./paste.ts";
import type { VideoLink } from "./text.ts";
import { type ExtractedVideo, type Extraction, LIMITS, type Limits, type PageKind } from "./types.ts";
import { ownLinksOf, readUnlinked, readWatched } from "./watched.ts";

interface ExtractOptions {
  onProgress?: (share: number) => void;
  limits?: Partial<Limits>;
}

/** Browsers write the URL of a saved page at its beginning. */
const HEAD_LENGTH = 4_096;

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

const LIST_PATH = /\/(?:collection|playlist)\//;

const kindOf = (
  { pages, watched, canonical }: PageParts,
  readings: readonly Reading[],
  ownLinks: readonly VideoLink[],
): PageKind => {
  if (watched) return "video";
  let kind: PageKind = "unknown";
  let max = 0;
  for (const [page, count] of pages) if (count > max) [kind, max] = [page, count];
  if (kind === "unknown" && canonical.some((url) => LIST_PATH.test(url))) return "collection";
  // A video page may show its video as a feed does.
  if (kind === "feed" && ownLinks.some(({ id }) => id === readings[0]?.id)) return "video";
  return kind === "unknown" && readings.length === 1 && readings[0]?.sources.title === "json" ? "video" : kind;
};

/**
 * Data may be left over from the page before: it adds only the other videos of a feed or of a profile's author, if it
 * has one that is shown, or the head's video.
 */
const belongsTo = (
  parts: PageParts,
  shown: readonly Reading[],
  ownLinks: readonly VideoLink[],
  data: ReadonlyMap<string, Reading>,
): ((reading: Reading) => boolean) => {
  const isEmpty = parts.cards.length + parts.unlinked.length === 0 && !parts.watched;
  if (data.size === 0 || isEmpty) return () => true;
  const kind = kindOf(parts, shown, ownLinks);
  if (kind === "unknown") return ({ id }) => ownLinks.some((videoLink) => videoLink.id === id);
  const isCurrent = shown.some(({ id }) => data.has(id));
  if (kind === "feed") return () => isCurrent;
  const [only, ...others] = new Set(shown.map(({ author }) => author?.toLowerCase()));
  const isProfile = kind === "profile" && others.length === 0 && isCurrent;
  return ({ author }) => isProfile && author !== null && author.toLowerCase() === only;
};

/** Videos of cards that are no more than a player: the main video's other parts may be elsewhere. */
const playersIn = (cards: readonly Card[]): VideoLink[] =>
  cards.flatMap(({ page, videoLink, author, authorLink }) =>
    page === "feed" && videoLink?.author === null && !author && !authorLink ? [videoLink] : [],
  );

/** What the page shows, in its order. */
const readShown = (
  page: Page,
  parts: PageParts,
  ownLinks: readonly VideoLink[],
  data: ReadonlyMap<string, Reading>,
): readonly Reading[] => {
  const watched = parts.watched && readWatched(page, parts.watched, ownLinks, data);
  const listed = parts.cards.map((card) => readSafely(page, card, data)).filter((reading) => reading !== null);
  const unlinked = readUnlinked(page, parts.unlinked, { listed, ownLinks, data });
  const all = unlinked.length > 0 ? [...listed, ...unlinked].sort((a, b) => a.offset - b.offset) : listed;
  // The main video may be one of a list behind it.
  return watched ? combineReadings([[watched], all], () => undefined) : all;
};

interface DocumentReadings {
  readings: Reading[];
  kind: PageKind;
}

const readDocument = (page: Page, { parts, from }: PageDocument): DocumentReadings => {
  const data = new Map<string, Reading>();
  for (const range of parts.data) readData(page, range.from, range.to, data);
  const ownLinks = [
    ...parts.players,
    ...playersIn(parts.cards),
    ...ownLinksOf(page.html.slice(from, from + HEAD_LENGTH), parts.canonical),
  ];
  const shown = readShown(page, parts, ownLinks, data);
  const seen = new Set(shown.map(({ id }) => id));
  const isOfPage = belongsTo(parts, shown, ownLinks, data);
  const readings = shown.map((reading) => {
    const fromData = data.get(reading.id);
    return fromData ? mergeReadings(reading, fromData) : reading;
  });
  for (const [id, reading] of data) {
    if (seen.has(id)) continue;
    if (isOfPage(reading)) readings.push(reading);
    else page.skips.add("not-shown", reading.offset);
  }
  return { readings, kind: kindOf(parts, readings, ownLinks) };
};

/** The videos of the source or API response that a page without own videos shows as its text. */
const readSource = (page: Page, { from, to }: PageDocument): DocumentReadings[] => {
  const html = sourceShownBy(page.html.slice(from, to));
  if (html === null) return [];
  const source: Page = { html, limits: page.limits, skips: new Skips() };
  const documents = readDocuments(html, source.limits, source.skips, () => undefined);
  const all = documents.map((document) => readDocument(source, document));
  if (all.every(({ readings }) => readings.length === 0)) return [];
  page.skips.addAll(source.skips, from);
  return all;
};

const readAll = (page: Page, documents: readonly PageDocument[]): DocumentReadings[] =>
  documents.flatMap((document) => {
    const own = readDocument(page, document);
    return own.readings.length > 0 || document.isAnswer ? own : [own, ...readSource(page, document)];
  });

const largestOf = (documents: readonly DocumentReadings[]): PageKind =>
  documents.reduce<DocumentReadings>(
    (largest, one) => (one.readings.length > largest.readings.length || largest.kind === "unknown" ? one : largest),
    { readings: [], kind: "unknown" },
  ).kind;

const toVideos = (page: Page, readings: readonly Reading[]): ExtractedVideo[] => {
  const videos: ExtractedVideo[] = [];
  for (const reading of readings) {
    if (!reading.isCertain) page.skips.add("no-link", reading.offset);
    else if (videos.length < page.limits.videos) videos.push(toVideo(reading, videos.length + 1));
    else page.skips.add("too-many", reading.offset);
  }
  return videos;
};

const extractFrom = (page: Page, onProgress: ExtractOptions["onProgress"]): Extraction => {
  const { html, limits, skips } = page;
  const documents = readDocuments(html, limits, skips, reporter(html.length, onProgress));
  const all = readAll(page, documents);
  const readings = combineReadings(
    all.map((one) => one.readings),
    ({ offset }) => skips.add("duplicate", offset),
  );
  const videos = toVideos(page, readings);
  return {
    videos,
    page: largestOf(all),
    notice: videos.length > 0 ? null : noticeOf(html, documents),
    skipped: skips.list(),
  };
};

/** Runs and fetches nothing (R-VID-31). Linear; never throws: unreadable parts are skipped and counted (R-VID-24). */
export const extract = (pasted: string, { onProgress, ...options }: ExtractOptions = {}): Extraction => {
  const limits = { ...LIMITS, ...options.limits };
  const isTooLarge = pasted.length > limits.pageLength;
  const skips = new Skips();
  if (isTooLarge) skips.add("too-large", limits.pageLength);
  const html = decodePaste(isTooLarge ? pasted.slice(0, limits.pageLength) : pasted);
  const extraction = extractFrom({ html, limits, skips }, onProgress);
  onProgress?.(1);
  return extraction;
};
