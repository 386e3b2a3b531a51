/**
 * Where a field was read: embedded JSON, an element's text, a picture's alternative text, a link's address or title,
 * or the video's own id, whose upper half is its time of upload.
 */
export type Source = "json" | "dom" | "alt" | "link" | "id";

/** The fields whose source is told. */
export type SourcedField =
  | "title"
  | "author"
  | "thumbnail_url"
  | "views_count"
  | "likes_count"
  | "date_posted"
  | "hashtags";

/** One video of a pasted page (R-ENT-18); what the page does not show is null. */
export interface ExtractedVideo {
  /** Place in the list, from 1 (R-VID-23). */
  id: number;
  /** `https://www.tiktok.com/@author/video/digits`, or `/photo/digits`: no query, no fragment. */
  video_url: string;
  /** The caption. */
  title: string | null;
  /** The caption again, under the name by which the card shows it. */
  description: string | null;
  /** Unique id without the at sign. */
  author: string | null;
  author_url: string | null;
  /** http or https only, never a placeholder. The address is signed and expires within days. */
  thumbnail_url: string | null;
  /** As shown ("1.2M"), or digits from JSON; null where the page counts likes alone. */
  views_count: string | null;
  likes_count: string | null;
  /** As shown ("3d ago"), else the day of `uploaded_at` in UTC ("2025-03-09"). */
  date_posted: string | null;
  /** ISO 8601 in UTC. */
  uploaded_at: string | null;
  /** Without "#", as written, unique whatever the case, in order of first sight. */
  hashtags: string[];
  sources: Partial<Record<SourcedField, Source>>;
}

export type PageKind = "profile" | "search" | "hashtag" | "explore" | "discover" | "video" | "api" | "unknown";

/** Why a page has no videos, as far as the page tells. */
export type NoticeKind = "no-videos" | "captcha" | "log-in" | "removed" | "search-failed" | "not-loaded";

/** Why something that looks like a video is not in the list. */
export type SkipReason =
  /** A card without a link to a video. */
  | "no-link"
  /** An id that is not a video's: no digits, or more than 64 bits. */
  | "bad-id"
  /** Markup or JSON beyond the limits of size or depth. */
  | "too-large"
  | "bad-json"
  /** A second card of a video that is in the list; its fields were merged. */
  | "duplicate"
  /** Beyond the number of videos that one page may have. */
  | "too-many"
  /** In embedded data alone, beside cards of other videos: left over from a page that was open before. */
  | "not-shown"
  /** A fault of our own while reading one card. */
  | "unreadable";

/** What was left out for one reason (R-VID-24). */
export interface Skipped {
  reason: SkipReason;
  count: number;
  /** Place of the first in the pasted text, in UTF-16 units. */
  offset: number;
}

/** What came out of a pasted page. */
export interface Extraction {
  videos: ExtractedVideo[];
  page: PageKind;
  /** Set when there are no videos. */
  notice: NoticeKind | null;
  skipped: Skipped[];
}

/** Bounds of the work on one page; lengths in UTF-16 units. */
export interface Limits {
  /** Most of a page that is read; the rest is skipped as too large. */
  pageLength: number;
  /** Markup that is parsed at once: one caption. */
  fragmentLength: number;
  fragmentDepth: number;
  fragmentTags: number;
  /** JSON of one video. */
  itemLength: number;
  itemDepth: number;
  videos: number;
}

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
