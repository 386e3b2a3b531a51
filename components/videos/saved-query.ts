import { SAVED_VIDEOS_PATH } from "#lib/features/videos/constants.ts";
import type { SavedCounts, SavedHashtag, SavedVideosWire, SavedVideoWire } from "#lib/features/videos/schema.ts";

/** Videos per page, which fills whole rows at each width. */
const SAVED_PAGE = 24;

export interface SavedQuery {
  q: string;
  /** Without '#'; empty for all. */
  hashtag: string;
}

/** One page of the list, and the path of the next page. */
export interface SavedList {
  videos: readonly SavedVideoWire[];
  counts: SavedCounts;
  hashtags: readonly SavedHashtag[];
  nextPath: string | null;
}

export const savedParams = ({ q, hashtag }: SavedQuery): Record<string, string> => ({
  ...(q && { search: q }),
  ...(hashtag && { hashtag }),
  limit: String(SAVED_PAGE),
});

/** The path of the first page, with counts and hashtags. */
export const savedPath = (query: SavedQuery): string =>
  `${SAVED_VIDEOS_PATH}?${new URLSearchParams({ ...savedParams(query), counts: "true", hashtags: "true" })}`;

/** Reads the list from a response; both shapes are accepted. */
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

/** Removes videos that were deleted since the response, also from its counts. */
export const withoutVideos = (list: SavedList, deleted: readonly SavedVideoWire[]): SavedList => {
  if (deleted.length === 0) return list;
  const ids = new Set(deleted.map(({ id }) => id));
  const { total, found, views } = list.counts;
  return {
    ...list,
    videos: list.videos.filter(({ id }) => !ids.has(id)),
    counts: {
      total: total - deleted.length,
      found: found - deleted.length,
      views: views - deleted.reduce((sum, video) => sum + video.views, 0),
    },
    hashtags: list.hashtags
      .map(({ hashtag, videos }) => ({ hashtag, videos: videos - deleted.filter((one) => isIn(one, hashtag)).length }))
      .filter(({ videos }) => videos > 0),
  };
};
