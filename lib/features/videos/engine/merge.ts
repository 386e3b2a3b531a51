import type { Reading } from "./card.ts";
import { authorUrl, Hashtags, timeOf, uploadTimeOf, videoUrl } from "./text.ts";
import type { ExtractedVideo } from "./types.ts";

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
  if (sources.duration_seconds) known.duration_seconds = sources.duration_seconds;
  if (sources.hashtags) known.hashtags = sources.hashtags;
  return known;
};

/** The data has exact counts and the full caption; the page fills the gaps. */
export const mergeReadings = (shown: Reading, data: Reading): Reading => {
  const sources = {
    title: data.sources.title ?? shown.sources.title,
    author: shown.sources.author ?? data.sources.author,
    thumbnail_url: data.sources.thumbnail_url ?? shown.sources.thumbnail_url,
    views_count: data.sources.views_count ?? shown.sources.views_count,
    likes_count: data.sources.likes_count ?? shown.sources.likes_count,
    date_posted: shown.sources.date_posted,
    duration_seconds: data.sources.duration_seconds,
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
    duration_seconds: data.duration_seconds,
    hashtags: joinHashtags(data.hashtags, shown.hashtags),
    sources,
    isCertain: true,
    offset: shown.offset,
  };
};

type Field = keyof Reading["sources"];

const isBetter = (field: Field, first: Reading, second: Reading): boolean =>
  second[field] !== null &&
  (first[field] === null || (second.sources[field] === "json" && first.sources[field] !== "json"));

/** The same video on two pages: what embedded data has counts, then what the first page shows. */
const combine = (first: Reading, second: Reading): Reading => {
  const of = (field: Field) => (isBetter(field, first, second) ? second : first);
  const [tags, others] = of("hashtags") === second ? [second, first] : [first, second];
  return {
    id: first.id,
    kind: first.kind,
    author: of("author").author,
    title: of("title").title,
    thumbnail_url: of("thumbnail_url").thumbnail_url,
    views_count: of("views_count").views_count,
    likes_count: of("likes_count").likes_count,
    date_posted: of("date_posted").date_posted,
    createTime: first.createTime ?? second.createTime,
    duration_seconds: of("duration_seconds").duration_seconds,
    hashtags: joinHashtags(tags.hashtags, others.hashtags),
    sources: {
      title: of("title").sources.title,
      author: of("author").sources.author,
      thumbnail_url: of("thumbnail_url").sources.thumbnail_url,
      views_count: of("views_count").sources.views_count,
      likes_count: of("likes_count").sources.likes_count,
      date_posted: of("date_posted").sources.date_posted,
      duration_seconds: of("duration_seconds").sources.duration_seconds,
      hashtags: tags.sources.hashtags,
    },
    isCertain: first.isCertain || second.isCertain,
    offset: first.offset,
  };
};

/** The videos of several pages, each once. @param onDuplicate called for each that a page before had */
export const combineReadings = (
  pages: readonly (readonly Reading[])[],
  onDuplicate: (reading: Reading) => void,
): readonly Reading[] => {
  const [only, ...others] = pages;
  if (!only || others.length === 0) return only ?? [];
  const byId = new Map<string, Reading>();
  for (const reading of pages.flat()) {
    const known = byId.get(reading.id);
    byId.set(reading.id, known ? combine(known, reading) : reading);
    if (known) onDuplicate(reading);
  }
  return [...byId.values()];
};

export const toVideo = (reading: Reading, id: number): ExtractedVideo => {
  const { author, title, date_posted } = reading;
  const timeOfData = reading.createTime === null ? null : timeOf(reading.createTime);
  const uploaded_at = timeOfData ?? uploadTimeOf(reading.id);
  const day = uploaded_at?.slice(0, 10) ?? null;
  const sources = sourcesOf(reading);
  if (date_posted === null && day) sources.date_posted = timeOfData ? "json" : "id";
  return {
    id,
    video_url: videoUrl(author, reading),
    title,
    description: title,
    author,
    author_url: author && authorUrl(author),
    thumbnail_url: reading.thumbnail_url,
    views_count: reading.views_count,
    likes_count: reading.likes_count,
    date_posted: date_posted ?? day,
    uploaded_at,
    duration_seconds: reading.duration_seconds,
    hashtags: reading.hashtags,
    sources,
  };
};
