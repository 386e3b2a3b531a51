import { authorUrl, timeOf, uploadTimeOf, videoUrl } from "./addresses.ts";
import { Hashtags } from "./hashtags.ts";
import type { Reading } from "./read-card.ts";
import type { ExtractedVideo } from "./types.ts";

/** Both tell of one video: the data's counts are exact, its caption whole; the page tells what it lacks. */
export const mergeReadings = (shown: Reading, data: Reading): Reading => {
  const sources = { ...shown.sources, ...data.sources };
  if (shown.author) sources.author = shown.sources.author;
  const hashtags = new Hashtags();
  for (const tag of data.hashtags) hashtags.addKnown(tag);
  for (const tag of shown.hashtags) hashtags.addKnown(tag);
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
    hashtags: hashtags.list(),
    sources,
    offset: shown.offset,
  };
};

/** The record of a reading (R-ENT-18); null when it does not tell the author, whom a video's address names. */
export const toVideo = (reading: Reading, id: number): ExtractedVideo | null => {
  const { author, title, date_posted } = reading;
  if (author === null) return null;
  const timeOfId = uploadTimeOf(reading.id);
  const uploaded_at = timeOfId ?? (reading.createTime === null ? null : timeOf(reading.createTime));
  const day = uploaded_at?.slice(0, 10) ?? null;
  const sources = { ...reading.sources };
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
