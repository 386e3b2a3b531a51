import { viewsOf } from "#lib/features/videos/engine/analysis.ts";
import type { ExtractedVideo, NoticeKind } from "#lib/features/videos/engine/types.ts";

/** The literal words of the extractor (R-VID, R-VAN, A-69, A-77). */
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

/** A-77 in its own words, then what the page says of itself. */
export const NOTICE_TEXTS: Record<NoticeKind, { title: string; more: string }> = {
  "no-videos": {
    title: "No videos found in the pasted HTML.",
    more: "Open a profile, a search, a hashtag or a video, and copy the page's source once its videos are in view.",
  },
  captcha: {
    title: "No videos found in the pasted HTML.",
    more: "The page asks to prove that you are a person. Solve its puzzle, wait for the videos, then copy again.",
  },
  "log-in": {
    title: "No videos found in the pasted HTML.",
    more: "The page asks for a login. Log in there, wait for the videos, then copy again.",
  },
  removed: {
    title: "No videos found in the pasted HTML.",
    more: "The page says that this video is no longer available.",
  },
  "search-failed": {
    title: "No videos found in the pasted HTML.",
    more: "The page's own search failed. Try the search again there, then copy once it shows videos.",
  },
  "not-loaded": {
    title: "No videos found in the pasted HTML.",
    more: "The page was not fully loaded. Scroll until the videos are in view, then copy again.",
  },
};

/** R-VID-17, A-69. @param count of selected videos */
export const saveText = (count: number): string => `Save ${count} Video(s) to API`;

/** R-VID-25, R-VID-29, R-VID-13. */
export const extractFailed = (message: string): string => `Error extracting data: ${message}`;
export const saveFailed = (message: string): string => `Error saving videos: ${message}`;
/** What of a refused saving is kept nevertheless; nothing where nothing is. */
export const partlySavedText = (saved: number, count: number): string =>
  saved === 0 ? "" : ` ${saved} of the ${count} videos are saved already: save again to add the others.`;
export const copyFailed = (message: string): string => `Could not copy text: ${message}`;

/** How long the word about a copy stays (R-TIME-06). */
export const COPIED_MS = 2_000;

/** Hashtags on a card before '+N more' (R-CONST-17). */
export const CARD_HASHTAGS = 5;

/** 'one' or 'n' of something, with its figure: '1 video', '1,240 videos'. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

const addressOf = (text: string | null, isAllowed: (protocol: string) => boolean): string | undefined => {
  if (text === null || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return isAllowed(protocol) ? href : undefined;
};

/** An address that may be a link (R-VID-31): http or https, else undefined. */
export const linkAddress = (text: string | null): string | undefined =>
  addressOf(text, (protocol) => protocol === "https:" || protocol === "http:");

/** An address that may be shown as a picture: https alone, as the pages' policy allows, else undefined. */
export const pictureAddress = (text: string | null): string | undefined =>
  addressOf(text, (protocol) => protocol === "https:");

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

const VIDEO_SORTS = ["page", "views", "newest", "oldest", "author"] as const;
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
