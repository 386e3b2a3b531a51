/** Error texts of saved videos. The first three are fixed by R-ERR-26 and R-VID-26. */
export const TEXTS = {
  loadFailed: "Failed to load videos. Please try again.",
  deleteFailed: "Failed to delete video. Please try again.",
  noVideos: "Please select at least one video to save",
  videosInvalid: "Send the videos as a list.",
  tooManyVideos: "You can save up to 500 videos at once.",
  notAVideo: "This is not a valid video.",
  urlInvalid: "This is not the URL of a TikTok video, such as https://www.tiktok.com/@name/video/123.",
  textInvalid: "This must be text.",
  textTooLong: "This text is too long.",
  viewsInvalid: "The view count is not valid.",
  likesInvalid: "The like count is not valid.",
  hashtagsInvalid: "Send the hashtags as a list of text values.",
  tooManyHashtags: "A video can have up to 100 hashtags.",
  durationInvalid: "The duration must be a whole number of seconds, up to a day.",
  timeInvalid: "Enter the upload time in ISO 8601 format, like 2026-11-22T10:00:00Z.",
  libraryFull: "You can save up to 20,000 videos. Delete some saved videos first.",
  libraryTooLarge: "Your saved videos have reached the storage limit. Delete some of them first.",
  storageFull: "You saved and deleted too many videos today. Please try again tomorrow.",
  noneSelected: "Select at least one video.",
  tooManySelected: "You can change up to 500 videos at once.",
  videoTwice: "The same video is listed twice.",
  tooManyTags: "A video can have up to 20 tags.",
  tagTooLong: "A tag can have up to 50 characters.",
  notesTooLong: "Notes can have up to 5,000 characters.",
} as const;

export const savedText = (count: number): string => `Successfully saved ${count} videos!`;

export const videoErrorText = (index: number, text: string): string => `Video ${index + 1}: ${text}`;

export const tooLongText = (what: string, max: number): string =>
  `${what} can have up to ${max.toLocaleString("en-US")} characters.`;
export const mustBeText = (what: string): string => `${what} must be text.`;

export const SAVE_BATCH_MAX = 500;
export const SAVE_BYTES_MAX = 4_000_000;
export const LIBRARY_MAX = 20_000;
/** Includes deleted videos that can still be restored. */
export const STORED_MAX = 2 * LIBRARY_MAX;
/** Most bytes of text per user: 2 kB per video, three times the usual size. */
export const LIBRARY_BYTES_MAX = 40_000_000;
export const STORED_BYTES_MAX = 2 * LIBRARY_BYTES_MAX;
export const SELECTION_MAX = 500;

export const CAPTION_MAX = 5_000;
export const AUTHOR_MAX = 200;
export const COUNT_MAX = 100;
export const DATE_MAX = 100;
/** In seconds. */
export const DURATION_MAX = 86_400;
export const HASHTAG_MAX = 100;
export const HASHTAGS_MAX = 100;

export const TAG_MAX = 50;
export const TAGS_MAX = 20;
export const NOTES_MAX = 5_000;

/** Most videos per page. Without `limit` all pages are streamed. */
export const VIDEO_PAGE_MAX = 200;

export const SAVED_VIDEOS_PATH = "/api/users/save_tiktok_videos/";
export const SAVED_VIDEO_PATH = "/api/users/tiktok_videos/";
