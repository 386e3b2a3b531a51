import "server-only";
import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { savedVideos } from "#db/schema/videos.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { decodeCursor, encodeCursor, type Position } from "#lib/core/paging.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { LIBRARY_BYTES_MAX, LIBRARY_MAX, STORED_BYTES_MAX, STORED_MAX, TEXTS, VIDEO_PAGE_MAX } from "./constants.ts";
import { viewsOf } from "./engine/analysis.ts";
import { NO_AUTHOR } from "./engine/types.ts";
import { hashtagKey, videoNumber } from "./policy.ts";
import {
  countVideos,
  findHashtags,
  isNotDeleted,
  ownVideosWhere,
  rowBytes,
  type SavedVideo,
  toVideo,
} from "./queries.ts";
import type {
  EditSavedVideoInput,
  ExtractedVideoInput,
  ListSavedVideosInput,
  SavedCounts,
  SavedHashtag,
  SavedVideoWire,
  SaveVideosInput,
  VideoIdsInput,
} from "./schema.ts";
import { toSavedVideo, toSavedVideos } from "./serializers.ts";

type NewRow = typeof savedVideos.$inferInsert;

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
const sentOrExisting = (name: string, existing: PgColumn) => sql`coalesce(${sent(name)}, ${existing})`;
const sentTogetherWith = (text: string, name: string, existing: PgColumn) =>
  sql`case when ${sent(text)} is null then ${existing} else ${sent(name)} end`;

const hasSentHashtags = sql`cardinality(excluded.hashtags) > 0`;
const isDeleted = sql`${savedVideos.deletedAt} is not null`;

/** What saving a video again changes. Missing fields keep their values; tags and notes belong to the user. */
const CHANGED = {
  // The author may have been renamed, and only the new name leads to the video.
  videoUrl: sql`case when strpos(excluded.video_url, ${`/@${NO_AUTHOR}/`}) > 0 then ${savedVideos.videoUrl} else excluded.video_url end`,
  title: sentOrExisting("title", savedVideos.title),
  description: sentTogetherWith("title", "description", savedVideos.description),
  author: sentOrExisting("author", savedVideos.author),
  authorUrl: sentOrExisting("author_url", savedVideos.authorUrl),
  thumbnailUrl: sentOrExisting("thumbnail_url", savedVideos.thumbnailUrl),
  viewsCount: sentOrExisting("views_count", savedVideos.viewsCount),
  views: sentTogetherWith("views_count", "views", savedVideos.views),
  likesCount: sentOrExisting("likes_count", savedVideos.likesCount),
  datePosted: sentOrExisting("date_posted", savedVideos.datePosted),
  uploadedAt: sentOrExisting("uploaded_at", savedVideos.uploadedAt),
  durationSeconds: sentOrExisting("duration_seconds", savedVideos.durationSeconds),
  hashtags: sql`case when ${hasSentHashtags} then excluded.hashtags else ${savedVideos.hashtags} end`,
  hashtagKeys: sql`case when ${hasSentHashtags} then excluded.hashtag_keys else ${savedVideos.hashtagKeys} end`,
  createdAt: sql`case when ${isDeleted} then excluded.created_at else ${savedVideos.createdAt} end`,
  listKey: sql`case when ${isDeleted} then excluded.list_key else ${savedVideos.listKey} end`,
  deletedAt: null,
  updatedAt: sql`excluded.updated_at`,
};

/** All or nothing; those already saved are updated. @throws AppError `wrong_state` when the library is full */
export const saveVideos = async (ctx: Ctx, { videos }: SaveVideosInput): Promise<{ saved: number }> => {
  const userId = requireUserId(ctx);
  const unique = [...new Map(videos.map((video) => [videoNumber(video.videoUrl), video])).values()];
  await inTransaction(ctx, async (tx) => {
    // One save per user at a time: rows are locked in no fixed order, and the library has a limit.
    await lockUser(tx, userId);
    const target = [savedVideos.userId, savedVideos.videoNumber];
    await tx.db
      .insert(savedVideos)
      .values(toRows(tx, userId, unique))
      .onConflictDoUpdate({ target, set: CHANGED });
    await checkLibraryLimits(tx);
  });
  ctx.log.set({ videos_saved: unique.length });
  return { saved: unique.length };
};

/** While the user is locked. @throws AppError `wrong_state`, which rolls the insert back */
const checkLibraryLimits = async (tx: Ctx): Promise<void> => {
  const rows = tx.db
    .select({ isNotDeleted: sql<boolean>`${isNotDeleted}`.as("is_kept"), bytes: rowBytes.as("bytes") })
    .from(savedVideos)
    .where(eq(savedVideos.userId, requireUserId(tx)))
    // `offset 0` keeps the planner from computing the sizes twice.
    .offset(0)
    .as("rows");
  const [row] = await tx.db
    .select({
      stored: sql<number>`count(*)::int`,
      existing: sql<number>`(count(*) filter (where ${rows.isNotDeleted}))::int`,
      storedBytes: sql<number>`coalesce(sum(${rows.bytes}), 0)::float8`,
      existingBytes: sql<number>`coalesce(sum(${rows.bytes}) filter (where ${rows.isNotDeleted}), 0)::float8`,
    })
    .from(rows);
  if (!row) return;
  const refuse = (text: string): never => {
    throw new AppError("wrong_state", { text });
  };
  if (row.existing > LIBRARY_MAX) refuse(TEXTS.libraryFull);
  if (row.existingBytes > LIBRARY_BYTES_MAX) refuse(TEXTS.libraryTooLarge);
  if (row.stored > STORED_MAX || row.storedBytes > STORED_BYTES_MAX) refuse(TEXTS.storageFull);
};

export interface SavedVideoPage {
  videos: SavedVideo[];
  nextCursor: string | null;
  counts?: SavedCounts;
  hashtags?: SavedHashtag[];
}

const positionOf = (cursor: string | undefined): Position | null => {
  if (cursor === undefined) return null;
  const position = decodeCursor(cursor);
  if (!position) throw new AppError("invalid", { text: "The cursor is not valid." });
  return position;
};

const isAfter = ({ createdAt, id }: Position): SQL =>
  sql`(${savedVideos.createdAt}, ${savedVideos.listKey}) < (${createdAt.toISOString()}::timestamptz, ${id})`;

const limitOf = ({ limit = VIDEO_PAGE_MAX }: ListSavedVideosInput): number => limit;

const readPage = async (ctx: Ctx, input: ListSavedVideosInput): Promise<SavedVideo[]> => {
  const after = positionOf(input.cursor);
  return ctx.db
    .select()
    .from(savedVideos)
    .where(and(ownVideosWhere(ctx, input), after ? isAfter(after) : undefined))
    .orderBy(desc(savedVideos.createdAt), desc(savedVideos.listKey))
    .limit(limitOf(input) + 1)
    .then((rows) => rows.map(toVideo));
};

/** @throws AppError `unauthenticated`; `invalid` for an invalid cursor. */
export const listSavedVideos = async (ctx: Ctx, input: ListSavedVideosInput): Promise<SavedVideoPage> => {
  const [found, counts, hashtags] = await Promise.all([
    readPage(ctx, input),
    input.counts ? countVideos(ctx, input) : null,
    input.hashtags ? findHashtags(ctx) : null,
  ]);
  const videos = found.slice(0, limitOf(input));
  const last = videos.at(-1);
  const nextCursor =
    last && found.length > videos.length ? encodeCursor({ createdAt: last.createdAt, id: last.listKey }) : null;
  return { videos, nextCursor, ...(counts && { counts }), ...(hashtags && { hashtags }) };
};

/** Omitted fields stay. @throws AppError `not_found`; `wrong_state` when the library's text limit is exceeded. */
export const editSavedVideo = (ctx: Ctx, { id, tags, notes }: EditSavedVideoInput): Promise<SavedVideoWire> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const isTarget = and(eq(savedVideos.id, id), eq(savedVideos.userId, userId), isNotDeleted);
    const [before] = await tx.db.select({ bytes: rowBytes }).from(savedVideos).where(isTarget);
    const [row] = await tx.db
      .update(savedVideos)
      .set({ ...(tags && { tags }), ...(notes !== undefined && { notes }), updatedAt: tx.now() })
      .where(isTarget)
      .returning({ ...getTableColumns(savedVideos), bytes: rowBytes });
    if (!row || !before) throw new AppError("not_found");
    // Checking the library is slow, and a full one may still shrink.
    if (row.bytes > before.bytes) await checkLibraryLimits(tx);
    return toSavedVideo(toVideo(row));
  });

/** All or nothing; restorable until purged. @throws AppError `not_found` when one is missing or another user's */
export const deleteVideos = (ctx: Ctx, { ids }: VideoIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const { count } = await tx.db
      .update(savedVideos)
      .set({ deletedAt: tx.now(), updatedAt: tx.now() })
      .where(and(isAnyOf(savedVideos.id, ids), eq(savedVideos.userId, userId), isNotDeleted));
    if (count < ids.length) throw new AppError("not_found");
    tx.log.set({ videos_touched: count });
  });

/** Videos saved again meanwhile stay. @throws AppError `not_found`; `wrong_state` when the library is full */
export const restoreVideos = (ctx: Ctx, { ids }: VideoIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const { count } = await tx.db
      .update(savedVideos)
      .set({ deletedAt: null, updatedAt: tx.now() })
      .where(and(isAnyOf(savedVideos.id, ids), eq(savedVideos.userId, userId)));
    if (count < ids.length) throw new AppError("not_found");
    await checkLibraryLimits(tx);
    tx.log.set({ videos_touched: count });
  });

const HEAD = '{"results":[';

async function* write(ctx: Ctx, { search, hashtag }: ListSavedVideosInput, first: SavedVideoPage) {
  yield HEAD;
  for (let page = first, separator = ""; page.videos.length > 0; separator = ",") {
    yield separator + page.videos.map((video) => JSON.stringify(toSavedVideo(video))).join(",");
    if (page.nextCursor === null) break;
    const after = { search, hashtag, cursor: page.nextCursor, limit: VIDEO_PAGE_MAX, counts: false, hashtags: false };
    page = await listSavedVideos(ctx, after);
  }
  yield JSON.stringify(toSavedVideos({ ...first, videos: [] })).slice(HEAD.length);
}

/** Page by page, so that memory use stays constant. @throws AppError `unauthenticated`, `invalid` before any chunk */
export const streamSavedVideos = async (ctx: Ctx, input: ListSavedVideosInput): Promise<AsyncGenerator<string>> =>
  write(ctx, input, await listSavedVideos(ctx, { ...input, limit: VIDEO_PAGE_MAX }));
