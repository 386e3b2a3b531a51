import "server-only";
import { z } from "zod";
import { SAVE_BATCH_MAX, SAVE_BYTES_MAX } from "#lib/features/videos/constants.ts";
import { deleteVideos, listSavedVideos, saveVideos } from "#lib/features/videos/saved-videos.ts";
import { listSavedVideosInput, saveVideosInput } from "#lib/features/videos/schema.ts";
import { toSavedVideo } from "#lib/features/videos/serializers.ts";
import { checkedBy, count, id, ownId, pageOf, pageQuery, time } from "./fields.ts";
import { type Operation, operation } from "./operation.ts";

const video = z
  .object({
    id: ownId("The video's ID here."),
    video_url: z.string(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    author: z.string().nullable(),
    author_url: z.string().nullable(),
    thumbnail_url: z.string().nullable(),
    views_count: z.string().nullable().meta({ description: "As the page showed it, such as `1.2M`." }),
    views: z.number().meta({ description: "The same as a number; 0 if unknown." }),
    likes_count: z.string().nullable(),
    date_posted: z.string().nullable(),
    uploaded_at: time("When it was uploaded.").nullable(),
    duration_seconds: z.number().int().nullable(),
    hashtags: z.array(z.string()),
    tags: z.array(z.string()).meta({ description: "The user's." }),
    notes: z.string().meta({ description: "The user's." }),
    created_at: time("When it was saved."),
  })
  .meta({ id: "SavedVideo" });

const texts = z.string().nullish();
const number = z.union([z.string(), z.number()]).nullish();

const newVideo = z.strictObject({
  video_url: z.string().meta({ description: "`https://www.tiktok.com/@name/video/123` or `/photo/123`." }),
  ...{ title: texts, description: texts, author: texts, author_url: texts, thumbnail_url: texts },
  ...{ views_count: number, likes_count: number, date_posted: texts, uploaded_at: texts },
  duration_seconds: number,
  hashtags: z.array(z.string()).nullish(),
});

const newVideos = checkedBy(
  z.strictObject({ videos: z.array(newVideo).min(1).max(SAVE_BATCH_MAX) }),
  saveVideosInput,
  (body) => body,
).meta({ id: "NewVideos" });

export const videoOperations: readonly Operation[] = [
  operation({
    ...{ id: "listVideos", method: "GET", path: "/videos", tag: "Videos", scope: "videos:read" },
    summary: "List saved videos",
    query: z.strictObject({
      search: listSavedVideosInput.shape.search.meta({ description: "Words in the title or author." }),
      hashtag: listSavedVideosInput.shape.hashtag.meta({ description: "One whole hashtag." }),
      ...pageQuery,
    }),
    response: pageOf(video).meta({ id: "SavedVideoPage" }),
    run: async (ctx, { query }) => {
      const { videos, nextCursor } = await listSavedVideos(ctx, { ...query, counts: false, hashtags: false });
      return { data: videos.map(toSavedVideo), next_cursor: nextCursor };
    },
  }),
  operation({
    ...{ id: "saveVideos", method: "POST", path: "/videos", tag: "Videos", scope: "videos:write", limit: "saveVideos" },
    summary: "Save videos",
    description: "All or none. A video that is already saved is updated.",
    ...{ body: newVideos, bodyBytesMax: SAVE_BYTES_MAX },
    response: z.object({ saved: count("Distinct videos.") }).meta({ id: "SavedVideos" }),
    errors: ["wrong_state"],
    run: (ctx, { body }) => saveVideos(ctx, body),
  }),
  operation({
    ...{ id: "deleteVideo", method: "DELETE", path: "/videos/{video_id}", tag: "Videos", scope: "videos:write" },
    summary: "Delete a saved video",
    params: z.strictObject({ video_id: id("A video's ID.") }),
    ...{ status: 204, errors: ["not_found"] },
    run: (ctx, { params }) => deleteVideos(ctx, { ids: [params.video_id] }),
  }),
];
