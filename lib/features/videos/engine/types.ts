/** `id`: the video's id, which contains its upload time. */
export type Source = "json" | "dom" | "alt" | "link" | "id";

export type SourcedField =
  | "title"
  | "author"
  | "thumbnail_url"
  | "views_count"
  | "likes_count"
  | "date_posted"
  | "duration_seconds"
  | "hashtags";

/** One video of a pasted page (R-ENT-18); fields that the page does not show are null. */
export interface ExtractedVideo {
  /** From 1 (R-VID-23). */
  id: number;
  /** `https://www.tiktok.com/@author/video/digits`, or `/photo/digits`: no query, no fragment; `@_` without an author. */
  video_url: string;
  title: string | null;
  /** The same caption. */
  description: string | null;
  /** The handle without "@". */
  author: string | null;
  author_url: string | null;
  /** http(s) only, never a placeholder. The URL is signed and expires within days. */
  thumbnail_url: string | null;
  /** As shown ("1.2M"), or digits from JSON; null on pages that only show likes. */
  views_count: string | null;
  likes_count: string | null;
  /** As shown ("3d ago"), or the UTC day of `uploaded_at` ("2025-03-09"). */
  date_posted: string | null;
  /** The data's time, or else the id's. */
  uploaded_at: string | null;
  /** Whole seconds; only embedded data has them. */
  duration_seconds: number | null;
  /** Without "#", in order, without case-insensitive duplicates. */
  hashtags: string[];
  sources: Partial<Record<SourcedField, Source>>;
}

export type PageKind =
  | "profile"
  | "search"
  | "hashtag"
  | "explore"
  | "discover"
  | "collection"
  | "feed"
  | "video"
  | "api"
  | "unknown";

export type NoticeKind = "no-videos" | "captcha" | "log-in" | "removed" | "search-failed" | "not-loaded";

export type SkipReason =
  | "no-link"
  | "bad-id"
  | "too-large"
  | "bad-json"
  /** Another card of a listed video; its fields were merged. */
  | "duplicate"
  | "too-many"
  /** Only in embedded data, which may be left over from the page before. */
  | "not-shown"
  | "unreadable";

export interface Skipped {
  reason: SkipReason;
  count: number;
  /** Offset of the first one in the pasted text, once decoded, in UTF-16 units. */
  offset: number;
}

export interface Extraction {
  videos: ExtractedVideo[];
  page: PageKind;
  notice: NoticeKind | null;
  skipped: Skipped[];
}

/** Lengths are in UTF-16 units. */
export interface Limits {
  pageLength: number;
  fragmentLength: number;
  fragmentDepth: number;
  fragmentTags: number;
  itemLength: number;
  itemDepth: number;
  videos: number;
}

export const LIMITS: Limits = {
  pageLength: 64 * 1_024 * 1_024,
  fragmentLength: 64 * 1_024,
  fragmentDepth: 32,
  fragmentTags: 2_000,
  itemLength: 512 * 1_024,
  itemDepth: 64,
  videos: 25_000,
};

/** Caption length that is kept; TikTok allows 4,000. */
export const CAPTION_MAX = 5_000;
export const URL_MAX = 2_048;
/** In a URL instead of a handle, which has at least two characters: TikTok finds a video by its id alone. */
export const NO_AUTHOR = "_";
export const AUTHOR_MAX = 64;
export const SHORT_TEXT_MAX = 64;
export const HASHTAG_MAX = 100;
/** Markup of one hashtag link; a longer one was never closed. */
export const TAG_LINK_MAX = 2_048;
export const HASHTAGS_MAX = 100;

/** R-VAN-03, R-CONST-17. */
export const TOP_CREATORS = 20;
export const TOP_SELECTED_HASHTAGS = 3;

export const KEYWORDS_PER_VIDEO = 10;
export const KEYWORD_LENGTH_MAX = 200;
