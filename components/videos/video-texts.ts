import { viewsOf } from "#lib/features/videos/engine/analysis.ts";
import type { ExtractedVideo, NoticeKind } from "#lib/features/videos/engine/types.ts";

/** Texts fixed by R-VID, R-VAN, A-69 and A-77. */
export const VIDEO_TEXTS = {
  extract: "Extract Videos",
  extracting: "Extracting...",
  noThumbnail: "No Thumbnail",
  noViews: "N/A",
  noDate: "Unknown date",
  noTitle: "Untitled TikTok Video",
  noAuthor: "Unknown",
  noDescription: "No description available",
  copied: "URL copied to clipboard!",
  selectAll: "Select All",
  deselectAll: "Deselect All",
  selectOne: "Please select at least one video to save",
  noHashtags: "No hashtags",
} as const;

/** The titles are fixed by A-77. */
export const NOTICE_TEXTS: Record<NoticeKind, { title: string; more: string }> = {
  "no-videos": {
    title: "No videos found in the pasted HTML.",
    more: "Open a TikTok profile, search, hashtag, or video, wait until the videos appear, then copy the page source.",
  },
  captcha: {
    title: "No videos found in the pasted HTML.",
    more: "TikTok wants to verify that you're human. Solve the puzzle, wait for the videos, then copy again.",
  },
  "log-in": {
    title: "No videos found in the pasted HTML.",
    more: "TikTok shows this only after you log in. Log in there, wait for the videos, then copy again.",
  },
  removed: {
    title: "No videos found in the pasted HTML.",
    more: "TikTok says this video or account is no longer available.",
  },
  "search-failed": {
    title: "No videos found in the pasted HTML.",
    more: "TikTok says something went wrong. Reload the page there, and copy the page source once videos appear.",
  },
  "not-loaded": {
    title: "No videos found in the pasted HTML.",
    more: "The page wasn't fully loaded. Scroll until the videos appear, then copy again.",
  },
};

/** Fixed by A-69. */
export const saveText = (count: number): string => `Save ${count} Video(s) to API`;

/** Fixed by R-VID-25, R-VID-29 and R-VID-13. */
export const extractFailed = (message: string): string => `Error extracting data: ${message}`;
export const saveFailed = (message: string): string => `Error saving videos: ${message}`;
/** Added to a failed save when some batches succeeded; else empty. */
export const partlySavedText = (saved: number, count: number): string =>
  saved === 0 ? "" : ` ${saved} of ${count} videos were saved. Save again to add the rest.`;
export const copyFailed = (message: string): string => `Could not copy text: ${message}`;

/** How long the copy toast stays (R-TIME-06). */
export const COPIED_MS = 2_000;

/** Hashtags on a card before '+N more' (R-CONST-17). */
export const CARD_HASHTAGS = 5;

const urlIf = (text: string | null, isAllowed: (protocol: string) => boolean): string | undefined => {
  if (text === null || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return isAllowed(protocol) ? href : undefined;
};

/** An http(s) URL that may be linked; else undefined. */
export const linkUrl = (text: string | null): string | undefined =>
  urlIf(text, (protocol) => protocol === "https:" || protocol === "http:");

/** An https URL that may be shown as an image, as the content security policy requires; else undefined. */
export const imageUrl = (text: string | null): string | undefined => urlIf(text, (protocol) => protocol === "https:");

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
  | "duration_seconds"
  | "hashtags"
>;

/** A video's title, or its substitute. */
export const nameOf = ({ title }: Pick<ShownVideo, "title">): string => title?.trim() || VIDEO_TEXTS.noTitle;

/** The views as the page shows them, with plain digits grouped, or 'N/A'. */
export const viewsText = ({ views_count: views }: Pick<ShownVideo, "views_count">): string => {
  if (!views?.trim()) return VIDEO_TEXTS.noViews;
  return /^\d{1,15}$/.test(views) ? Number(views).toLocaleString("en") : views;
};

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** The duration as a player shows it: '0:45', '12:05', '1:02:03'; null when unknown. */
export const durationText = ({ duration_seconds: all }: Pick<ShownVideo, "duration_seconds">): string | null => {
  if (all === null) return null;
  const [hours, minutes, seconds] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, all % 60];
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds)}` : `${minutes}:${twoDigits(seconds)}`;
};

/** Cards per row, by the container's width. */
export const columnsFor = (widthPx: number): number => {
  if (widthPx >= 880) return 4;
  return widthPx >= 560 ? 3 : 2;
};

const VIDEO_SORTS = ["page", "views", "newest", "oldest", "author"] as const;
export type VideoSort = (typeof VIDEO_SORTS)[number];

const textOf = ({ title, author, hashtags }: ExtractedVideo): string =>
  `${title ?? ""} ${author ?? ""} ${hashtags.map((hashtag) => `#${hashtag}`).join(" ")}`.toLowerCase();

/** Videos without an author or time come last in every order. */
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
 * Filters videos by all words of `q` (in title, author or hashtags, ignoring case) and sorts them; the sort is stable.
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
