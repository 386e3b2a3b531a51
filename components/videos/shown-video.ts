import { VIDEO_TEXTS } from "#components/videos/video-texts.ts";
import type { ExtractedVideo } from "#lib/features/videos/engine/types.ts";

/** What a card shows of a video, extracted or saved. */
export type ShownVideo = Pick<
  ExtractedVideo,
  | "video_url"
  | "title"
  | "description"
  | "author"
  | "author_url"
  | "thumbnail_url"
  | "views_count"
  | "likes_count"
  | "date_posted"
  | "hashtags"
>;

/** The name of a video in words and labels (R-VID-07). */
export const nameOf = ({ title }: Pick<ShownVideo, "title">): string => title?.trim() || VIDEO_TEXTS.noTitle;

/** The views as the page shows them, bare digits in groups, or 'N/A' (R-VID-05). */
export const viewsText = ({ views_count: views }: Pick<ShownVideo, "views_count">): string => {
  if (!views?.trim()) return VIDEO_TEXTS.noViews;
  return /^\d{1,15}$/.test(views) ? Number(views).toLocaleString("en") : views;
};

/** How many videos a set of cards shows in a row, by the width of their place in pixels. */
export const columnsFor = (widthPx: number): number => {
  if (widthPx >= 880) return 4;
  return widthPx >= 560 ? 3 : 2;
};
