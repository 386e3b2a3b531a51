import "server-only";
import { nextLink } from "#lib/core/paging.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import { SAVED_VIDEOS_PATH, savedText } from "./constants.ts";
import type { SavedVideo } from "./queries.ts";
import type { SavedVideoPage } from "./saved-videos.ts";
import type { SavedVideosWire, SavedVideoWire, SavedWire } from "./schema.ts";

export const toSavedVideo = (video: SavedVideo): SavedVideoWire => ({
  id: video.id,
  video_url: video.videoUrl,
  title: video.title,
  description: video.description ?? video.title,
  author: video.author,
  author_url: video.authorUrl,
  thumbnail_url: video.thumbnailUrl,
  views_count: video.viewsCount,
  views: video.views,
  likes_count: video.likesCount,
  date_posted: video.datePosted,
  uploaded_at: toIsoOrNull(video.uploadedAt),
  duration_seconds: video.durationSeconds,
  hashtags: video.hashtags,
  tags: video.tags,
  notes: video.notes,
  created_at: toIso(video.createdAt),
});

export const toSavedVideos = ({ videos, counts, hashtags }: SavedVideoPage): SavedVideosWire => ({
  results: videos.map(toSavedVideo),
  ...(counts && { counts }),
  ...(hashtags && { hashtags }),
});

export const toSaved = ({ saved }: { saved: number }): SavedWire => ({ message: savedText(saved), saved });

export const toNextLink = (page: SavedVideoPage, request: Request): Record<string, string> =>
  nextLink(page.nextCursor, request);

export const toNextPath = (page: SavedVideoPage, query: Record<string, string>): string | null =>
  page.nextCursor === null
    ? null
    : `${SAVED_VIDEOS_PATH}?${new URLSearchParams({ ...query, cursor: page.nextCursor })}`;
