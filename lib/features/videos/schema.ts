import { z } from "zod";
import { ADDRESS_MAX, httpUrl } from "#lib/core/paths.ts";
import { SEARCH_MAX, visible } from "#lib/core/text.ts";
import {
  AUTHOR_MAX,
  CAPTION_MAX,
  CHOSEN_MAX,
  COUNT_MAX,
  DATE_MAX,
  HASHTAG_MAX,
  HASHTAGS_MAX,
  NOTES_MAX,
  notTextText,
  ofVideo,
  SAVED_AT_ONCE_MAX,
  TAG_MAX,
  TAGS_MAX,
  TEXTS,
  tooLongText,
  VIDEO_PAGE_MAX,
} from "./constants.ts";
import { hashtagKey, plainHashtag, uniqueWords, videoAddress } from "./policy.ts";

/** A text that may be missing: null, "" and absent are the same. @param what as messages name it: "The title" */
const text = (what: string, max: number) =>
  z
    .string(notTextText(what))
    .max(max, tooLongText(what, max))
    .transform(visible)
    .nullish()
    .transform((value) => value || null);

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** A count as a page shows it; who has a number may send that. */
const shownCount = (what: string, invalid: string) =>
  z
    .union([z.string(), z.number().refine(isCount, invalid).transform(String)], invalid)
    .pipe(z.string().max(COUNT_MAX, tooLongText(what, COUNT_MAX)))
    .transform(visible)
    .nullish()
    .transform((value) => value || null);

/** An address that is kept when a page may link to it, and else left out: R-VID-31. */
const webAddress = (what: string) => text(what, ADDRESS_MAX).transform((value) => value && httpUrl(value));

/** A list that is refused for its length before its members are looked at. */
const listOf = <S extends z.ZodType>(member: S, bounds: { invalid: string; max: number; tooMany: string }) =>
  z
    .array(z.unknown(), bounds.invalid)
    .refine((list) => list.length <= bounds.max, bounds.tooMany)
    .pipe(z.array(member));

const hashtags = listOf(z.string(TEXTS.hashtagsInvalid).max(HASHTAG_MAX, tooLongText("A hashtag", HASHTAG_MAX)), {
  invalid: TEXTS.hashtagsInvalid,
  max: HASHTAGS_MAX,
  tooMany: TEXTS.tooManyHashtags,
})
  .nullish()
  .transform((list) => uniqueWords((list ?? []).map((one) => plainHashtag(visible(one)))));

const uploadedAt = z
  .union([z.literal(""), z.iso.datetime({ offset: true, error: TEXTS.timeInvalid })], TEXTS.timeInvalid)
  .nullish()
  .transform((value) => (value ? new Date(value) : null));

/** A video as it was extracted (R-ENT-18), in names of the wire; what else it has is left alone. */
const extractedVideo = z
  .object(
    {
      video_url: z.string(TEXTS.addressInvalid).transform((value, check) => {
        const address = value.length <= ADDRESS_MAX ? videoAddress(value) : null;
        if (!address) check.addIssue({ code: "custom", message: TEXTS.addressInvalid });
        return address ?? "";
      }),
      title: text("The title", CAPTION_MAX),
      description: text("The description", CAPTION_MAX),
      author: text("The author", AUTHOR_MAX),
      author_url: webAddress("The author's address"),
      thumbnail_url: webAddress("The picture's address"),
      views_count: shownCount("The count of views", TEXTS.viewsInvalid),
      likes_count: shownCount("The count of likes", TEXTS.likesInvalid),
      date_posted: text("The date", DATE_MAX),
      uploaded_at: uploadedAt,
      hashtags,
    },
    TEXTS.notAVideo,
  )
  .transform((video) => ({
    videoUrl: video.video_url,
    // Read texts are titles; a description is what a video has besides.
    title: video.title ?? video.description,
    description: video.description === video.title || video.title === null ? null : video.description,
    author: video.author,
    authorUrl: video.author_url,
    thumbnailUrl: video.thumbnail_url,
    viewsCount: video.views_count,
    likesCount: video.likes_count,
    datePosted: video.date_posted,
    uploadedAt: video.uploaded_at,
    hashtags: video.hashtags,
  }));
export type ExtractedVideoInput = z.output<typeof extractedVideo>;

/** Videos, each by itself, so that what is wrong with one says which it is, also to whom no place in JSON says anything. */
const extractedVideos = z.array(z.unknown()).transform((videos, check) =>
  videos.flatMap((video, place) => {
    const { data, error } = extractedVideo.safeParse(video);
    for (const { path, message } of error?.issues ?? []) {
      check.addIssue({ code: "custom", path: [place, ...path], message: ofVideo(place, message) });
    }
    return data ? [data] : [];
  }),
);

/** POST /api/users/save_tiktok_videos/ (R-API-23). */
export const saveVideosInput = z.object({
  videos: z
    .array(z.unknown(), TEXTS.videosInvalid)
    .refine((videos) => videos.length > 0, TEXTS.noVideos)
    .refine((videos) => videos.length <= SAVED_AT_ONCE_MAX, TEXTS.tooManyVideos)
    .pipe(extractedVideos),
});
export type SaveVideosInput = z.output<typeof saveVideosInput>;

const wish = z
  .enum(["true", "false"], "This is asked for by true.")
  .default("false")
  .transform((word) => word === "true");

/** GET /api/users/save_tiktok_videos/ (R-API-24, R-SAV-04 to R-SAV-07). */
export const listSavedVideosInput = z.object({
  /** Words of which each must be in the title or the author. */
  search: z
    .string()
    .transform(visible)
    .refine((words) => words.length <= SEARCH_MAX, `A search may have at most ${SEARCH_MAX} characters.`)
    .optional(),
  hashtag: z.string().max(HASHTAG_MAX, TEXTS.textTooLong).transform(visible).transform(hashtagKey).optional(),
  limit: z.coerce.number("The limit is a number.").int().min(1).max(VIDEO_PAGE_MAX).optional(),
  cursor: z.string().min(1).max(200).optional(),
  counts: wish,
  hashtags: wish,
});
export type ListSavedVideosInput = z.output<typeof listSavedVideosInput>;

/** An id as it comes from outside: any short text; whether it names something of the caller is the gate's to say. */
const opaqueId = z.string("An id is needed.").min(1, "An id is needed.").max(100, "This is not an id of ours.");

/** DELETE /api/users/tiktok_videos/{id}/ (R-API-25): one video is a choice of one. */
export const videoIdInput = z.object({ id: opaqueId }).transform(({ id }) => ({ ids: [id] }));

/** Videos that something is done with together: all of them, or none. */
export const videoIdsInput = z.object({
  ids: z
    .array(z.unknown())
    .refine((ids) => ids.length > 0, TEXTS.noneChosen)
    .refine((ids) => ids.length <= CHOSEN_MAX, TEXTS.tooManyChosen)
    .pipe(z.array(opaqueId))
    .refine((ids) => new Set(ids).size === ids.length, TEXTS.videoTwice),
});
export type VideoIdsInput = z.output<typeof videoIdsInput>;

/** What its owner writes about a video; what is absent stays as it is. */
export const editSavedVideoInput = z.object({
  id: opaqueId,
  tags: listOf(z.string(TEXTS.textInvalid).max(10 * TAG_MAX, TEXTS.tagTooLong), {
    invalid: TEXTS.textInvalid,
    max: 10 * TAGS_MAX,
    tooMany: TEXTS.tooManyTags,
  })
    .transform((tags) => uniqueWords(tags.map((tag) => visible(tag).replace(/\s+/g, " "))))
    .refine((tags) => tags.length <= TAGS_MAX, TEXTS.tooManyTags)
    .refine((tags) => tags.every((tag) => tag.length <= TAG_MAX), TEXTS.tagTooLong)
    .optional(),
  notes: z.string(TEXTS.textInvalid).max(NOTES_MAX, TEXTS.notesTooLong).transform(visible).optional(),
});
export type EditSavedVideoInput = z.output<typeof editSavedVideoInput>;

/** R-SAV-14: a saved video as it is answered. */
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
  /** The same as a number, 0 where it tells of none (R-VID-30). */
  views: number;
  likes_count: string | null;
  /** As the page showed it. */
  date_posted: string | null;
  uploaded_at: string | null;
  /** Without '#'. */
  hashtags: string[];
  /** Its owner's own. */
  tags: string[];
  notes: string;
  /** When it was saved first, or again after it was deleted. */
  created_at: string;
}

/** R-SAV-07: all that are kept, those that search and hashtag let through, and the views of the latter together. */
export interface SavedCounts {
  total: number;
  found: number;
  views: number;
}

/** R-SAV-05: a hashtag, and how many of the saved videos have it. */
export interface SavedHashtag {
  hashtag: string;
  videos: number;
}

export interface SavedVideosWire {
  results: SavedVideoWire[];
  /** Where they were asked for. */
  counts?: SavedCounts;
  /** Of all that are kept, by the alphabet; where they were asked for. */
  hashtags?: SavedHashtag[];
}

/** What saving is answered with (R-API-23). */
export interface SavedWire {
  message: string;
  /** Videos of the call, each once. */
  saved: number;
}
