import { z } from "zod";
import { httpUrl, URL_MAX } from "#lib/core/paths.ts";
import { SEARCH_MAX, visible } from "#lib/core/text.ts";
import {
  AUTHOR_MAX,
  CAPTION_MAX,
  COUNT_MAX,
  DATE_MAX,
  DURATION_MAX,
  HASHTAG_MAX,
  HASHTAGS_MAX,
  mustBeText,
  NOTES_MAX,
  SAVE_BATCH_MAX,
  SELECTION_MAX,
  TAG_MAX,
  TAGS_MAX,
  TEXTS,
  tooLongText,
  VIDEO_PAGE_MAX,
  videoErrorText,
} from "./constants.ts";
import { canonicalVideoUrl, cleanHashtag, hashtagKey, uniqueTexts } from "./policy.ts";

/** An optional text: null, "" and undefined are the same. @param what its name in messages: "The title" */
const text = (what: string, max: number) =>
  z
    .string(mustBeText(what))
    .max(max, tooLongText(what, max))
    .transform(visible)
    .nullish()
    .transform((value) => value || null);

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const displayCount = (what: string, invalid: string) =>
  z
    .union([z.string(), z.number().refine(isCount, invalid).transform(String)], invalid)
    .pipe(z.string().max(COUNT_MAX, tooLongText(what, COUNT_MAX)))
    .transform(visible)
    .nullish()
    .transform((value) => value || null);

/** An http(s) URL; others are dropped. */
const webUrl = (what: string) => text(what, URL_MAX).transform((value) => value && httpUrl(value));

/** A list whose length is checked before its items. */
const boundedList = <S extends z.ZodType>(member: S, bounds: { invalid: string; max: number; tooMany: string }) =>
  z
    .array(z.unknown(), bounds.invalid)
    .refine((list) => list.length <= bounds.max, bounds.tooMany)
    .pipe(z.array(member));

const hashtags = boundedList(z.string(TEXTS.hashtagsInvalid).max(HASHTAG_MAX, tooLongText("A hashtag", HASHTAG_MAX)), {
  invalid: TEXTS.hashtagsInvalid,
  max: HASHTAGS_MAX,
  tooMany: TEXTS.tooManyHashtags,
})
  .nullish()
  .transform((list) => uniqueTexts((list ?? []).map((one) => cleanHashtag(visible(one)))));

const uploadedAt = z
  .union([z.literal(""), z.iso.datetime({ offset: true, error: TEXTS.timeInvalid })], TEXTS.timeInvalid)
  .nullish()
  .transform((value) => (value ? new Date(value) : null));

const duration = z
  .union([z.literal(""), z.number().int().min(0).max(DURATION_MAX)], TEXTS.durationInvalid)
  .nullish()
  .transform((value) => value || null);

const extractedVideo = z
  .object(
    {
      video_url: z.string(TEXTS.urlInvalid).transform((value, check) => {
        const url = value.length <= URL_MAX ? canonicalVideoUrl(value) : null;
        if (!url) check.addIssue({ code: "custom", message: TEXTS.urlInvalid });
        return url ?? "";
      }),
      title: text("The title", CAPTION_MAX),
      description: text("The description", CAPTION_MAX),
      author: text("The author", AUTHOR_MAX),
      author_url: webUrl("The author URL"),
      thumbnail_url: webUrl("The thumbnail URL"),
      views_count: displayCount("The view count", TEXTS.viewsInvalid),
      likes_count: displayCount("The like count", TEXTS.likesInvalid),
      date_posted: text("The date", DATE_MAX),
      uploaded_at: uploadedAt,
      duration_seconds: duration,
      hashtags,
    },
    TEXTS.notAVideo,
  )
  .transform((video) => ({
    videoUrl: video.video_url,
    // The caption is the title, and only a different text is a description.
    title: video.title ?? video.description,
    description: video.description === video.title || video.title === null ? null : video.description,
    author: video.author,
    authorUrl: video.author_url,
    thumbnailUrl: video.thumbnail_url,
    viewsCount: video.views_count,
    likesCount: video.likes_count,
    datePosted: video.date_posted,
    uploadedAt: video.uploaded_at,
    durationSeconds: video.duration_seconds,
    hashtags: video.hashtags,
  }));
export type ExtractedVideoInput = z.output<typeof extractedVideo>;

/** Validates each video by itself, so that messages name it. */
const extractedVideos = z.array(z.unknown()).transform((videos, check) =>
  videos.flatMap((video, index) => {
    const { data, error } = extractedVideo.safeParse(video);
    for (const { path, message } of error?.issues ?? []) {
      check.addIssue({ code: "custom", path: [index, ...path], message: videoErrorText(index, message) });
    }
    return data ? [data] : [];
  }),
);

/** POST /api/users/save_tiktok_videos/ */
export const saveVideosInput = z.object({
  videos: z
    .array(z.unknown(), TEXTS.videosInvalid)
    .refine((videos) => videos.length > 0, TEXTS.noVideos)
    .refine((videos) => videos.length <= SAVE_BATCH_MAX, TEXTS.tooManyVideos)
    .pipe(extractedVideos),
});
export type SaveVideosInput = z.output<typeof saveVideosInput>;

const flag = z
  .enum(["true", "false"], "This must be true or false.")
  .default("false")
  .transform((word) => word === "true");

/** GET /api/users/save_tiktok_videos/ */
export const listSavedVideosInput = z.object({
  search: z
    .string()
    .transform(visible)
    .refine((search) => search.length <= SEARCH_MAX, `A search can have up to ${SEARCH_MAX} characters.`)
    .optional(),
  hashtag: z.string().max(HASHTAG_MAX, TEXTS.textTooLong).transform(visible).transform(hashtagKey).optional(),
  limit: z.coerce.number("The limit must be a number.").int().min(1).max(VIDEO_PAGE_MAX).optional(),
  cursor: z.string().min(1).max(200).optional(),
  counts: flag,
  hashtags: flag,
});
export type ListSavedVideosInput = z.output<typeof listSavedVideosInput>;

/** An id from a client; access is checked by the query. */
const opaqueId = z.string("An ID is required.").min(1, "An ID is required.").max(100, "This ID isn't valid.");

/** DELETE /api/users/tiktok_videos/{id}/ */
export const videoIdInput = z.object({ id: opaqueId }).transform(({ id }) => ({ ids: [id] }));

export const videoIdsInput = z.object({
  ids: z
    .array(z.unknown())
    .refine((ids) => ids.length > 0, TEXTS.noneSelected)
    .refine((ids) => ids.length <= SELECTION_MAX, TEXTS.tooManySelected)
    .pipe(z.array(opaqueId))
    .refine((ids) => new Set(ids).size === ids.length, TEXTS.videoTwice),
});
export type VideoIdsInput = z.output<typeof videoIdsInput>;

export const editSavedVideoInput = z.object({
  id: opaqueId,
  tags: boundedList(z.string(TEXTS.textInvalid).max(10 * TAG_MAX, TEXTS.tagTooLong), {
    invalid: TEXTS.textInvalid,
    max: 10 * TAGS_MAX,
    tooMany: TEXTS.tooManyTags,
  })
    .transform((tags) => uniqueTexts(tags.map((tag) => visible(tag).replace(/\s+/g, " "))))
    .refine((tags) => tags.length <= TAGS_MAX, TEXTS.tooManyTags)
    .refine((tags) => tags.every((tag) => tag.length <= TAG_MAX), TEXTS.tagTooLong)
    .optional(),
  notes: z.string(TEXTS.textInvalid).max(NOTES_MAX, TEXTS.notesTooLong).transform(visible).optional(),
});
export type EditSavedVideoInput = z.output<typeof editSavedVideoInput>;

export interface SavedVideoWire {
  id: string;
  video_url: string;
  title: string | null;
  description: string | null;
  author: string | null;
  author_url: string | null;
  thumbnail_url: string | null;
  /** As the page showed it. */
  views_count: string | null;
  views: number;
  likes_count: string | null;
  date_posted: string | null;
  uploaded_at: string | null;
  duration_seconds: number | null;
  hashtags: string[];
  tags: string[];
  notes: string;
  /** When it was first saved, or saved again after deletion. */
  created_at: string;
}

/** `found` and `views`: of the videos that match the filters. */
export interface SavedCounts {
  total: number;
  found: number;
  views: number;
}

export interface SavedHashtag {
  hashtag: string;
  videos: number;
}

export interface SavedVideosWire {
  results: SavedVideoWire[];
  counts?: SavedCounts;
  hashtags?: SavedHashtag[];
}

export interface SavedWire {
  message: string;
  saved: number;
}
