import type { NoticeKind } from "#lib/features/videos/engine/types.ts";

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

/** R-VID-28. @param count of saved videos */
export const savedText = (count: number): string => `Successfully saved ${count} videos!`;

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
