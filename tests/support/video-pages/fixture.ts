import type { ExtractedVideo, NoticeKind, PageKind, SkipReason } from "#lib/features/videos/engine/types.ts";

/** A handwritten page that follows the known markup, and its expected records, reviewed by hand. */
export interface Fixture {
  name: string;
  html: string;
  page: PageKind;
  notice?: NoticeKind;
  videos: ExtractedVideo[];
  skipped?: Partial<Record<SkipReason, number>>;
}

export const PLAY = '<path d="M16 10.554V37.4459L38.1463 24L16 10.554Z" fill="currentColor"></path>';
export const HEART = '<path d="M40.96 24.15 24 41 7.04 24.15a11 11 0 0 1 0-15Z"></path>';
export const AVATAR = (author: string): string =>
  `<img alt="" src="https://p16-sign.tiktokcdn.com/tos-avt-0068/${author}~c5_100x100.jpeg?x-expires=1">`;
export const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** Wraps a body in a document as a browser serializes it. */
export const pageOf = (body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><title>TikTok</title>${head}<style>.a::after{content:"<div data-e2e='user-post-item'>"}</style></head><body>${body}</body></html>`;

/** A record with the values that most fixtures share. */
export const video = (
  id: number,
  author: string,
  path: string,
  uploaded_at: string,
  rest: Partial<ExtractedVideo> & Pick<ExtractedVideo, "sources">,
): ExtractedVideo => ({
  id,
  video_url: `https://www.tiktok.com/@${author}/${path}`,
  title: null,
  author,
  author_url: `https://www.tiktok.com/@${author}`,
  thumbnail_url: null,
  views_count: null,
  likes_count: null,
  date_posted: uploaded_at.slice(0, 10),
  uploaded_at,
  duration_seconds: null,
  hashtags: [],
  ...rest,
  description: rest.title ?? null,
});
