import type { Limits } from "./types.ts";

/** What one page may ask of us. Real pages stay far below each of them. */
export const LIMITS: Limits = {
  pageLength: 64 * 1_024 * 1_024,
  fragmentLength: 64 * 1_024,
  fragmentDepth: 32,
  fragmentTags: 2_000,
  itemLength: 512 * 1_024,
  itemDepth: 64,
  videos: 25_000,
};

/** Characters of a caption that are kept; the site itself allows 4,000. */
export const CAPTION_MAX = 5_000;
/** Characters of an address, an author's name, a count or date, and one hashtag. */
export const ADDRESS_MAX = 2_048;
export const AUTHOR_MAX = 64;
export const SHORT_TEXT_MAX = 64;
export const HASHTAG_MAX = 100;
/** Markup of one link to a hashtag: longer ones were never closed. */
export const TAG_LINK_MAX = 2_048;
/** Hashtags of one video. */
export const HASHTAGS_MAX = 100;

/** Creators in the table of the most active (R-VAN-03, R-CONST-17). */
export const TOP_CREATORS = 20;
/** Hashtags named for the selected videos (R-VAN-05, R-CONST-17). */
export const TOP_SELECTED_HASHTAGS = 3;

/** Keywords taken from one video, and the length of one: as much as a request for pins takes. */
export const KEYWORDS_PER_VIDEO = 10;
export const KEYWORD_LENGTH_MAX = 200;
