import { viewsOf } from "./counts.ts";
import { TOP_CREATORS, TOP_SELECTED_HASHTAGS } from "./limits.ts";
import type { ExtractedVideo } from "./types.ts";

/** How often a hashtag is used, counted once for each video. */
export interface HashtagUse {
  /** As first written, without "#". */
  tag: string;
  count: number;
  /** Of all videos, with one decimal (R-VAN-02). */
  percent: number;
  medianViews: number;
}

export interface CreatorUse {
  author: string;
  videos: number;
  views: number;
}

export interface UploadDay {
  /** In UTC, "2025-03-09". */
  day: string;
  videos: number;
  views: number;
}

export interface SelectedUse {
  videos: number;
  views: number;
  creators: number;
  /** At most three, the most used first (R-VAN-05). */
  topHashtags: string[];
}

/** What the tab of analytics shows. */
export interface Analysis {
  totalVideos: number;
  totalViews: number;
  creators: number;
  /** For each video, with one decimal (R-VAN-01). */
  averageHashtags: number;
  hashtags: HashtagUse[];
  topCreators: CreatorUse[];
  byUpload: UploadDay[];
  selected: SelectedUse | null;
}

/** "1.05" would round down as a binary fraction: whole tenths are divided last. */
const oneDecimal = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part * 10) / whole) / 10);

/** The middle one of sorted numbers, rounded to a whole number between two. */
const medianOf = (numbers: readonly number[]): number => {
  const middle = numbers.length >> 1;
  const upper = numbers[middle] ?? 0;
  return numbers.length % 2 === 1 ? upper : Math.round(((numbers[middle - 1] ?? 0) + upper) / 2);
};

/** Numbers beyond the safe integers cannot be told apart: a sum ends there. */
const add = (sum: number, views: number): number => Math.min(sum + views, Number.MAX_SAFE_INTEGER);

/** By code unit: the same in each language, so that worker, server and tests agree. */
const byName = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

interface Tally {
  name: string;
  views: number[];
}

/** Groups views by names whatever their case; the first way of writing stays. */
const tallyOf = (
  videos: readonly ExtractedVideo[],
  namesOf: (video: ExtractedVideo) => readonly string[],
): Map<string, Tally> => {
  const tallies = new Map<string, Tally>();
  for (const video of videos) {
    const views = viewsOf(video.views_count);
    const counted = new Set<string>();
    for (const name of namesOf(video)) {
      const key = name.toLowerCase();
      if (counted.has(key)) continue;
      counted.add(key);
      const tally = tallies.get(key);
      if (tally) tally.views.push(views);
      else tallies.set(key, { name, views: [views] });
    }
  }
  return tallies;
};

const hashtagsOf = (videos: readonly ExtractedVideo[]): HashtagUse[] =>
  [...tallyOf(videos, ({ hashtags }) => hashtags).values()]
    .map(({ name, views }) => ({
      tag: name,
      count: views.length,
      percent: oneDecimal(views.length * 100, videos.length),
      medianViews: medianOf(views.sort((one, other) => one - other)),
    }))
    .sort((one, other) => other.count - one.count || byName(one.tag, other.tag));

const creatorsOf = (videos: readonly ExtractedVideo[]): CreatorUse[] =>
  [...tallyOf(videos, ({ author }) => (author ? [author] : [])).values()]
    .map(({ name, views }) => ({ author: name, videos: views.length, views: views.reduce(add, 0) }))
    .sort((one, other) => other.videos - one.videos || other.views - one.views || byName(one.author, other.author));

const byUploadOf = (videos: readonly ExtractedVideo[]): UploadDay[] =>
  [...tallyOf(videos, ({ uploaded_at }) => (uploaded_at ? [uploaded_at.slice(0, 10)] : [])).values()]
    .map(({ name, views }) => ({ day: name, videos: views.length, views: views.reduce(add, 0) }))
    .sort((one, other) => byName(one.day, other.day));

const viewsOfAll = (videos: readonly ExtractedVideo[]): number =>
  videos.reduce((sum, { views_count }) => add(sum, viewsOf(views_count)), 0);

const selectedOf = (videos: readonly ExtractedVideo[]): SelectedUse | null =>
  videos.length === 0
    ? null
    : {
        videos: videos.length,
        views: viewsOfAll(videos),
        creators: creatorsOf(videos).length,
        topHashtags: hashtagsOf(videos)
          .slice(0, TOP_SELECTED_HASHTAGS)
          .map(({ tag }) => tag),
      };

/**
 * The numbers of all videos, and of those selected when there are any (R-VAN-01 to R-VAN-05). A count that is missing
 * counts as 0 (R-VID-30), an author that is missing as no creator.
 */
export const analyse = (videos: readonly ExtractedVideo[], selectedIds: ReadonlySet<number>): Analysis => {
  const creators = creatorsOf(videos);
  const hashtags = hashtagsOf(videos);
  return {
    totalVideos: videos.length,
    totalViews: viewsOfAll(videos),
    creators: creators.length,
    averageHashtags: oneDecimal(
      hashtags.reduce((sum, { count }) => sum + count, 0),
      videos.length,
    ),
    hashtags,
    topCreators: creators.slice(0, TOP_CREATORS),
    byUpload: byUploadOf(videos),
    selected: selectedOf(videos.filter(({ id }) => selectedIds.has(id))),
  };
};
