import type { VideoAddress } from "./addresses.ts";
import type { Card } from "./cards.ts";
import { LIMITS } from "./limits.ts";
import { mergeReadings, toVideo } from "./merge.ts";
import { noticeOf } from "./notices.ts";
import { type Page, type Reading, readCard } from "./read-card.ts";
import { readData } from "./read-data.ts";
import { type PageParts, PageReader } from "./read-page.ts";
import { ownAddressesOf, readWatched } from "./read-watched.ts";
import { Skips } from "./skips.ts";
import type { ExtractedVideo, Extraction, Limits, PageKind } from "./types.ts";

export interface ExtractOptions {
  /** Told now and then which share of the page is read, from 0 to 1. */
  onProgress?: (share: number) => void;
  limits?: Partial<Limits>;
}

const PROGRESS_STEP = 1_024 * 1_024;

/** Reading takes nearly all of the time; the rest of the bar is for putting together. */
const reporter = (total: number, onProgress: ExtractOptions["onProgress"]): ((place: number) => void) => {
  let next = PROGRESS_STEP;
  return (place) => {
    if (place < next) return;
    next = place + PROGRESS_STEP;
    onProgress?.((0.9 * Math.min(place, total)) / total);
  };
};

/** One card that cannot be read is skipped and counted, the rest is kept (R-VID-24). */
const readSafely = (page: Page, card: Card, data: ReadonlyMap<string, Reading>): Reading | null => {
  try {
    return card.address && readCard(page, card, card.address, data.get(card.address.id));
  } catch {
    // Only a fault of ours gets here: it may cost one video, never the page.
    page.skips.add("unreadable", card.offset);
    return null;
  }
};

const kindOf = ({ pages, watched }: PageParts, readings: readonly Reading[]): PageKind => {
  if (watched) return "video";
  let kind: PageKind = "unknown";
  let most = 0;
  for (const [page, count] of pages) if (count > most) [kind, most] = [page, count];
  return kind === "unknown" && readings.length === 1 && readings[0]?.sources.title === "json" ? "video" : kind;
};

/**
 * Which videos of the data alone are the page's too. Data may be of the page before: where videos are shown, it adds
 * only more of the one author of a profile, and the video that the head names where nothing else tells of the page.
 */
const belongsTo = (
  parts: PageParts,
  shown: readonly Reading[],
  named: readonly VideoAddress[],
  data: ReadonlyMap<string, Reading>,
): ((reading: Reading) => boolean) => {
  if (data.size === 0 || (parts.cards.length === 0 && !parts.watched)) return () => true;
  const kind = kindOf(parts, shown);
  if (kind === "unknown") return ({ id }) => named.some((address) => address.id === id);
  const [only, ...others] = new Set(shown.map(({ author }) => author?.toLowerCase()));
  const isProfile = kind === "profile" && others.length === 0 && shown.some(({ id }) => data.has(id));
  return ({ author }) => isProfile && author !== null && author.toLowerCase() === only;
};

/** Puts what the page shows and what its data tells together, in the page's order. */
const join = (page: Page, parts: PageParts, data: ReadonlyMap<string, Reading>): Reading[] => {
  const named = ownAddressesOf(page.html, parts.canonical);
  const watched = parts.watched && readWatched(page, parts.watched, named, data);
  const listed = parts.cards.map((card) => readSafely(page, card, data)).filter((reading) => reading !== null);
  const shown = watched ? [watched, ...listed.filter(({ id }) => id !== watched.id)] : listed;
  const seen = new Set(shown.map(({ id }) => id));
  const isOfPage = belongsTo(parts, shown, named, data);
  const merged = shown.map((reading) => {
    const told = data.get(reading.id);
    return told ? mergeReadings(reading, told) : reading;
  });
  for (const [id, reading] of data) {
    if (seen.has(id)) continue;
    if (isOfPage(reading)) merged.push(reading);
    else page.skips.add("not-shown", reading.offset);
  }
  return merged;
};

const number = (page: Page, readings: readonly Reading[]): ExtractedVideo[] => {
  const videos: ExtractedVideo[] = [];
  for (const reading of readings) {
    const video = videos.length < page.limits.videos ? toVideo(reading, videos.length + 1) : null;
    if (video) videos.push(video);
    else page.skips.add(reading.author === null ? "no-link" : "too-many", reading.offset);
  }
  return videos;
};

const NO_PARTS: PageParts = { cards: [], watched: null, canonical: [], data: [], pages: new Map() };

/**
 * Reads the videos of a page of TikTok from its pasted markup, or from a pasted answer of the site's interface
 * (R-GEN-03, R-VID-22). Nothing of it runs and nothing is fetched (R-VID-31). Whatever the text, it answers in linear
 * time and does not throw: what cannot be read is left out and counted by reason (R-VID-24), and a page without
 * videos says why.
 */
export const extract = (html: string, options: ExtractOptions = {}): Extraction => {
  const limits = { ...LIMITS, ...options.limits };
  const skips = new Skips();
  const page: Page = { html, limits, skips };
  const end = Math.min(html.length, limits.pageLength);
  if (html.length > end) skips.add("too-large", end);
  const isAnswer = /^[\s\uFEFF]*[{[]/.test(html);
  const onPlace = reporter(end, options.onProgress);
  const parts = isAnswer ? NO_PARTS : new PageReader(html, limits, skips).read(onPlace);
  const data = new Map<string, Reading>();
  if (isAnswer) readData(page, 0, end, data);
  for (const { from, to } of parts.data) readData(page, from, to, data);
  const readings = join(page, parts, data);
  const videos = number(page, readings);
  options.onProgress?.(1);
  return {
    videos,
    page: isAnswer ? "api" : kindOf(parts, readings),
    notice: videos.length > 0 ? null : noticeOf(html, limits, parts),
    skipped: skips.list(),
  };
};
