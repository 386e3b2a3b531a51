import "server-only";
import { and, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { savedVideos } from "#db/schema/videos.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { decodeCursor, encodeCursor, type Position } from "#lib/core/paging.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { LIBRARY_BYTES_MAX, LIBRARY_MAX, STORED_BYTES_MAX, STORED_MAX, TEXTS, VIDEO_PAGE_MAX } from "./constants.ts";
import { viewsOf } from "./engine/analysis.ts";
import { hashtagKey, videoNumber } from "./policy.ts";
import { countVideos, findHashtags, isKept, ownVideosWhere, rowBytes, type SavedVideo, toVideo } from "./queries.ts";
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

/**
 * Holds the actor to what one user may keep; called after what was added, while their lock is held.
 * @throws AppError `wrong_state` when it is more, which takes back what was added.
 */
const checkRoom = async (tx: Ctx): Promise<void> => {
  const rows = tx.db
    .select({ isKept: sql<boolean>`${isKept}`.as("is_kept"), bytes: rowBytes.as("bytes") })
    .from(savedVideos)
    .where(eq(savedVideos.userId, requireUserId(tx)))
    // Keeps the planner from putting the sizes into both sums, where each would be reckoned twice.
    .offset(0)
    .as("rows");
  const [row] = await tx.db
    .select({
      stored: sql<number>`count(*)::int`,
      kept: sql<number>`(count(*) filter (where ${rows.isKept}))::int`,
      storedBytes: sql<number>`coalesce(sum(${rows.bytes}), 0)::float8`,
      keptBytes: sql<number>`coalesce(sum(${rows.bytes}) filter (where ${rows.isKept}), 0)::float8`,
    })
    .from(rows);
  if (!row) return;
  const refuse = (text: string): never => {
    throw new AppError("wrong_state", { text });
  };
  if (row.kept > LIBRARY_MAX) refuse(TEXTS.libraryFull);
  if (row.keptBytes > LIBRARY_BYTES_MAX) refuse(TEXTS.libraryHeavy);
  if (row.stored > STORED_MAX || row.storedBytes > STORED_BYTES_MAX) refuse(TEXTS.dayFull);
};

/** Saved videos, newest first, and where the next page begins. */
export interface SavedVideoPage {
  videos: SavedVideo[];
  nextCursor: string | null;
  /** Where they were asked for. */
  counts?: SavedCounts;
  hashtags?: SavedHashtag[];
}

const positionOf = (cursor: string | undefined): Position | null => {
  if (cursor === undefined) return null;
  const position = decodeCursor(cursor);
  if (!position) throw new AppError("invalid", { text: "The cursor is not one of ours." });
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

/**
 * A page of the actor's saved videos (R-API-24), newest first, those of one call in the order they were sent; only those
 * that a search and a hashtag let through. `streamSavedVideos` answers all of them.
 * @throws AppError `unauthenticated`; `invalid` for a cursor that is not of ours.
 */
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

/**
 * Writes its owner's tags and notes to a saved video; what is absent stays.
 * @throws AppError `not_found`; `wrong_state` when the actor's library has no room for so much text.
 */
export const editSavedVideo = (ctx: Ctx, { id, tags, notes }: EditSavedVideoInput): Promise<SavedVideoWire> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const isMeant = and(eq(savedVideos.id, id), eq(savedVideos.userId, userId), isKept);
    const [before] = await tx.db.select({ bytes: rowBytes }).from(savedVideos).where(isMeant);
    const [row] = await tx.db
      .update(savedVideos)
      .set({ ...(tags && { tags }), ...(notes !== undefined && { notes }), updatedAt: tx.now() })
      .where(isMeant)
      .returning({ ...getTableColumns(savedVideos), bytes: rowBytes });
    if (!row || !before) throw new AppError("not_found");
    // Weighing the whole library takes a while, and one that is full can always be given less.
    if (row.bytes > before.bytes) await checkRoom(tx);
    return toSavedVideo(toVideo(row));
  });

/**
 * Deletes videos of the actor (R-SAV-10), all of them or none. They are gone for everybody at once, and can be brought
 * back until they are swept (`restoreVideos`, `retireVideos`).
 * @throws AppError `not_found` when one is foreign, absent or deleted.
 */
export const deleteVideos = (ctx: Ctx, { ids }: VideoIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const { count } = await tx.db
      .update(savedVideos)
      .set({ deletedAt: tx.now(), updatedAt: tx.now() })
      .where(and(inArray(savedVideos.id, ids), eq(savedVideos.userId, userId), isKept));
    if (count < ids.length) throw new AppError("not_found");
    tx.log.set({ videos_touched: count });
  });

/**
 * Brings deleted videos of the actor back as they were, all of them or none: the undoing of `deleteVideos`. One that is
 * back already, because it was saved again meanwhile, stays as it is.
 * @throws AppError `not_found` when one is foreign, absent or was swept already; `wrong_state` when the library is full.
 */
export const restoreVideos = (ctx: Ctx, { ids }: VideoIdsInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    await lockUser(tx, userId);
    const { count } = await tx.db
      .update(savedVideos)
      .set({ deletedAt: null, updatedAt: tx.now() })
      .where(and(inArray(savedVideos.id, ids), eq(savedVideos.userId, userId)));
    if (count < ids.length) throw new AppError("not_found");
    await checkRoom(tx);
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
  // The counts and hashtags, as a page has them after its list.
  yield JSON.stringify(toSavedVideos({ ...first, videos: [] })).slice(HEAD.length);
}

/**
 * All the actor's saved videos that a search and a hashtag let through (R-API-24 without `limit`), as one JSON document
 * in pieces. Read page by page while it is sent, so that memory does not grow with them; what is saved or deleted
 * meanwhile may or may not be in it.
 * @throws AppError `unauthenticated` or `invalid`, as `listSavedVideos`, before the first piece.
 */
export const streamSavedVideos = async (ctx: Ctx, input: ListSavedVideosInput): Promise<AsyncGenerator<string>> =>
  write(ctx, input, await listSavedVideos(ctx, { ...input, limit: VIDEO_PAGE_MAX }));
