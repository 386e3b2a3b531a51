import { viewsOf } from "#lib/features/videos/engine/analysis.ts";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";

export const VIDEO_SORTS = ["page", "views", "newest", "oldest", "author"] as const;
export type VideoSort = (typeof VIDEO_SORTS)[number];

const textOf = ({ title, author, hashtags }: ExtractedVideo): string =>
  `${title ?? ""} ${author ?? ""} ${hashtags.map((hashtag) => `#${hashtag}`).join(" ")}`.toLowerCase();

/** Who has no author, or no time, stands last in every order. */
const LAST = "\u{10FFFF}";
const timeOf = ({ uploaded_at }: ExtractedVideo): number | null =>
  uploaded_at === null ? null : Date.parse(uploaded_at);

const byTime = (a: ExtractedVideo, b: ExtractedVideo, sign: 1 | -1): number => {
  const [left, right] = [timeOf(a), timeOf(b)];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return sign * (left - right);
};

const ORDERS: Record<VideoSort, (a: ExtractedVideo, b: ExtractedVideo) => number> = {
  page: () => 0,
  views: (a, b) => viewsOf(b.views_count) - viewsOf(a.views_count),
  newest: (a, b) => byTime(a, b, -1),
  oldest: (a, b) => byTime(a, b, 1),
  author: (a, b) => (a.author ?? LAST).localeCompare(b.author ?? LAST, "en"),
};

/**
 * The videos that have all words of a text in title, author or hashtags, in an order; equal ones stay as on the page.
 * @param q upper and lower case alike; empty lets all through
 */
export const arrangeVideos = (videos: readonly ExtractedVideo[], q: string, sort: VideoSort): ExtractedVideo[] => {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = videos.filter((video) => {
    if (words.length === 0) return true;
    const text = textOf(video);
    return words.every((word) => text.includes(word));
  });
  return sort === "page" ? found : found.toSorted(ORDERS[sort]);
};
