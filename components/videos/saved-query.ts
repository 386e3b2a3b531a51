import { SAVED_VIDEOS_CALL } from "#lib/features/videos/constants.ts";
import type { SavedCounts, SavedHashtag, SavedVideosWire, SavedVideoWire } from "#lib/features/videos/schema.ts";

/** Videos on a page of the list: whole rows at each width. */
export const SAVED_PAGE = 24;

/** What the list is narrowed to. */
export interface SavedQuery {
  q: string;
  /** Without '#'; empty: all. */
  hashtag: string;
}

/** The beginning of a list as one call answers it, and the call that answers the page after it. */
export interface SavedList {
  videos: readonly SavedVideoWire[];
  counts: SavedCounts;
  hashtags: readonly SavedHashtag[];
  nextPath: string | null;
}

/** What the call is asked with. */
export const savedWords = ({ q, hashtag }: SavedQuery): Record<string, string> => ({
  ...(q && { search: q }),
  ...(hashtag && { hashtag }),
  limit: String(SAVED_PAGE),
});

/** The call that answers the first page with its counts (R-API-24). */
export const savedPath = (query: SavedQuery): string =>
  `${SAVED_VIDEOS_CALL}?${new URLSearchParams({ ...savedWords(query), counts: "true", hashtags: "true" })}`;

/** The list in an answer; both shapes of it are taken (R-SAV-02). */
export const listOf = (body: SavedVideosWire | readonly SavedVideoWire[], nextPath: string | null): SavedList => {
  const { results, counts, hashtags = [] }: SavedVideosWire = "results" in body ? body : { results: [...body] };
  const views = results.reduce((sum, video) => sum + video.views, 0);
  return {
    videos: results,
    counts: counts ?? { total: results.length, found: results.length, views },
    hashtags,
    nextPath,
  };
};

const isIn = (video: SavedVideoWire, hashtag: string): boolean =>
  video.hashtags.some((one) => one.toLowerCase() === hashtag.toLowerCase());

/** A list without videos that were deleted since it was answered, and its counts without them. */
export const withoutVideos = (list: SavedList, gone: readonly SavedVideoWire[]): SavedList => {
  if (gone.length === 0) return list;
  const ids = new Set(gone.map(({ id }) => id));
  const { total, found, views } = list.counts;
  return {
    ...list,
    videos: list.videos.filter(({ id }) => !ids.has(id)),
    counts: {
      total: total - gone.length,
      found: found - gone.length,
      views: views - gone.reduce((sum, video) => sum + video.views, 0),
    },
    hashtags: list.hashtags
      .map(({ hashtag, videos }) => ({ hashtag, videos: videos - gone.filter((one) => isIn(one, hashtag)).length }))
      .filter(({ videos }) => videos > 0),
  };
};
