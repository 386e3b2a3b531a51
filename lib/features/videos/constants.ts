/** Literal texts of saved videos (R-VID-28, R-ERR-26), and what is said of what cannot be saved. */
export const TEXTS = {
  loadFailed: "Failed to load videos. Please try again.",
  deleteFailed: "Failed to delete video. Please try again.",
  noVideos: "Please select at least one video to save",
  videosInvalid: "The videos are a list.",
  tooManyVideos: "At most 500 videos can be saved at once.",
  notAVideo: "This is not a video with its fields.",
  addressInvalid: "The address is not that of a TikTok video, such as https://www.tiktok.com/@name/video/123.",
  textInvalid: "This is not a text.",
  textTooLong: "This text is too long.",
  viewsInvalid: "The views are not a count.",
  likesInvalid: "The likes are not a count.",
  hashtagsInvalid: "The hashtags are a list of texts.",
  tooManyHashtags: "A video may have at most 100 hashtags.",
  timeInvalid: "The time of the upload is written as 2026-11-22T10:00:00Z.",
  libraryFull: "You can keep up to 20,000 videos. Delete some of those you have saved first.",
  libraryHeavy: "Your saved videos hold as much text as there is room for. Delete some of them first.",
  dayFull: "You saved and deleted very many videos today. Please try again tomorrow.",
  noneChosen: "Choose at least one video.",
  tooManyChosen: "At most 500 videos can be changed at once.",
  videoTwice: "The same video is listed twice.",
  tooManyTags: "A video may have at most 20 tags.",
  tagTooLong: "A tag may have at most 50 characters.",
  notesTooLong: "The notes may have at most 5,000 characters.",
} as const;

/** R-VID-28: what saving is answered with. */
export const savedText = (count: number): string => `Successfully saved ${count} videos!`;

/** What is said of one video among several. @param place from 0 */
export const ofVideo = (place: number, text: string): string => `Video ${place + 1}: ${text}`;

/** @param what with its article: "The title" */
export const tooLongText = (what: string, max: number): string =>
  `${what} may have at most ${max.toLocaleString("en-US")} characters.`;
export const notTextText = (what: string): string => `${what} is not a text.`;

/** The most videos in one call, and the most bytes of its body. */
export const SAVED_AT_ONCE_MAX = 500;
export const SAVE_BYTES_MAX = 4_000_000;
/** The most videos that one user keeps. */
export const LIBRARY_MAX = 20_000;
/** The same with those that were deleted and can still come back. */
export const STORED_MAX = 2 * LIBRARY_MAX;
/** The most bytes of all texts of the videos that one user keeps: 2 kB a video, three times what most have. */
export const LIBRARY_BYTES_MAX = 40_000_000;
/** The same with those that were deleted and can still come back. */
export const STORED_BYTES_MAX = 2 * LIBRARY_BYTES_MAX;
/** The most videos that one change may be about. */
export const CHOSEN_MAX = 500;

/** The most characters of each text of a video. */
export const CAPTION_MAX = 5_000;
export const AUTHOR_MAX = 200;
export const COUNT_MAX = 100;
export const DATE_MAX = 100;
export const HASHTAG_MAX = 100;
/** The most hashtags of a video. */
export const HASHTAGS_MAX = 100;

/** What its owner writes about a video. */
export const TAG_MAX = 50;
export const TAGS_MAX = 20;
export const NOTES_MAX = 5_000;

/** The most videos on one page. Without `limit` all come back (DESIGN §7), read so many at a time. */
export const VIDEO_PAGE_MAX = 200;

/** R-API-23, R-API-24: the call that saves videos and lists them. */
export const SAVED_VIDEOS_CALL = "/api/users/save_tiktok_videos/";
/** R-API-25: followed by an id, the call that deletes one. */
export const SAVED_VIDEO_CALL = "/api/users/tiktok_videos/";
