import { z } from "zod";

/** No NUL and no lone surrogate: neither can be stored or sent. */
const text = z
  .string()
  .refine((value) => value.isWellFormed() && !value.includes("\0"), { error: "holds what cannot be stored" });

const webUrl = text.regex(/^https?:\/\//i);
const source = z.enum(["json", "dom", "alt", "link", "id"]);
const figures = ["views_count", "likes_count", "date_posted", "duration_seconds"] as const;
const fields = ["title", "author", "thumbnail_url", ...figures, "hashtags"] as const;

const video = z.strictObject({
  id: z.int().positive(),
  video_url: text.regex(/^https:\/\/www\.tiktok\.com\/@[\w.-]+\/(video|photo)\/\d{1,20}$/),
  title: text.min(1).nullable(),
  description: text.min(1).nullable(),
  author: text.regex(/^[\w.-]+$/).nullable(),
  author_url: text.regex(/^https:\/\/www\.tiktok\.com\/@[\w.-]+$/).nullable(),
  thumbnail_url: webUrl.nullable(),
  views_count: text.min(1).nullable(),
  likes_count: text.min(1).nullable(),
  date_posted: text.min(1).nullable(),
  uploaded_at: z.iso.datetime().nullable(),
  duration_seconds: z.int().positive().max(86_400).nullable(),
  hashtags: z
    .array(text.regex(/^[^#\s]+$/))
    .refine((tags) => new Set(tags.map((tag) => tag.toLowerCase())).size === tags.length, {
      error: "tags are not unique",
    }),
  sources: z.strictObject(Object.fromEntries(fields.map((name) => [name, source.optional()]))),
});

const count = z.int().nonnegative();
const lists = ["profile", "search", "hashtag", "explore", "discover", "collection", "feed"] as const;
const pages = [...lists, "video", "api", "unknown"] as const;

/** The schema that every extraction result must satisfy, whatever was pasted. */
export const validExtraction = z
  .strictObject({
    videos: z.array(video),
    page: z.enum(pages),
    notice: z.enum(["no-videos", "captcha", "log-in", "removed", "search-failed", "not-loaded"]).nullable(),
    skipped: z.array(z.strictObject({ reason: text.min(1), count: count.positive(), offset: count })),
  })
  .refine(({ videos }) => videos.every(({ id }, index) => id === index + 1), { error: "ids are not a sequence from 1" })
  .refine(({ videos }) => new Set(videos.map(({ video_url }) => video_url)).size === videos.length, {
    error: "a video is listed twice",
  })
  .refine(({ videos, notice }) => (videos.length === 0) === (notice !== null), {
    error: "a notice is set if and only if there are no videos",
  });
