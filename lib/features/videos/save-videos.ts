import "server-only";
import { sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { savedVideos } from "#db/schema/videos.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { lockUser } from "#lib/features/identity/lock-user.ts";
import { checkRoom } from "./check-room.ts";
import { viewsOf } from "./engine/counts.ts";
import { hashtagKey, videoNumber } from "./policy.ts";
import type { ExtractedVideoInput, SaveVideosInput } from "./schema.ts";

type NewRow = typeof savedVideos.$inferInsert;

/** Rows in the order they were sent: the first has the highest key, for lists show the newest first. */
const toRows = (tx: Ctx, userId: UserId, videos: readonly ExtractedVideoInput[]): NewRow[] => {
  const keys = videos.map(() => tx.newId("video")).toSorted();
  return videos.map((video, index) => ({
    ...video,
    id: tx.newId("video"),
    listKey: keys.at(-1 - index) ?? tx.newId("video"),
    userId,
    videoNumber: videoNumber(video.videoUrl),
    views: viewsOf(video.viewsCount),
    hashtagKeys: video.hashtags.map(hashtagKey),
    createdAt: tx.now(),
    updatedAt: tx.now(),
  }));
};

const sent = (name: string) => sql`excluded.${sql.identifier(name)}`;
const sentOrKept = (name: string, kept: PgColumn) => sql`coalesce(${sent(name)}, ${kept})`;
/** What goes with a text goes as that does. */
const sentWith = (text: string, name: string, kept: PgColumn) =>
  sql`case when ${sent(text)} is null then ${kept} else ${sent(name)} end`;

const haveSent = sql`cardinality(excluded.hashtags) > 0`;
const isDeleted = sql`${savedVideos.deletedAt} is not null`;

/** What another save of a video changes: a page that told less takes nothing away, and tags and notes are its owner's. */
const CHANGED = {
  // A maker may have another name by now, under which alone the video is still found.
  videoUrl: sql`excluded.video_url`,
  title: sentOrKept("title", savedVideos.title),
  description: sentWith("title", "description", savedVideos.description),
  author: sentOrKept("author", savedVideos.author),
  authorUrl: sentOrKept("author_url", savedVideos.authorUrl),
  thumbnailUrl: sentOrKept("thumbnail_url", savedVideos.thumbnailUrl),
  viewsCount: sentOrKept("views_count", savedVideos.viewsCount),
  views: sentWith("views_count", "views", savedVideos.views),
  likesCount: sentOrKept("likes_count", savedVideos.likesCount),
  datePosted: sentOrKept("date_posted", savedVideos.datePosted),
  uploadedAt: sentOrKept("uploaded_at", savedVideos.uploadedAt),
  hashtags: sql`case when ${haveSent} then excluded.hashtags else ${savedVideos.hashtags} end`,
  hashtagKeys: sql`case when ${haveSent} then excluded.hashtag_keys else ${savedVideos.hashtagKeys} end`,
  // One that was deleted is saved anew, and takes its place among those of the call.
  createdAt: sql`case when ${isDeleted} then excluded.created_at else ${savedVideos.createdAt} end`,
  listKey: sql`case when ${isDeleted} then excluded.list_key else ${savedVideos.listKey} end`,
  deletedAt: null,
  updatedAt: sql`excluded.updated_at`,
};

/**
 * Saves videos for the actor (R-API-23): one row for each video's number, updated in place when it is there already
 * . A video that comes twice counts once, as it came last. All of them or none, in as many statements for 500 as for one.
 * @throws AppError `wrong_state` when the actor's library is full.
 */
export const saveVideos = async (ctx: Ctx, { videos }: SaveVideosInput): Promise<{ saved: number }> => {
  const userId = requireUserId(ctx);
  const unique = [...new Map(videos.map((video) => [videoNumber(video.videoUrl), video])).values()];
  await inTransaction(ctx, async (tx) => {
    // One save of a user at a time: rows are locked in no certain order, and the library has a ceiling.
    await lockUser(tx, userId);
    const target = [savedVideos.userId, savedVideos.videoNumber];
    await tx.db
      .insert(savedVideos)
      .values(toRows(tx, userId, unique))
      .onConflictDoUpdate({ target, set: CHANGED });
    await checkRoom(tx);
  });
  ctx.log.set({ videos_saved: unique.length });
  return { saved: unique.length };
};
