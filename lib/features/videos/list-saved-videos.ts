import "server-only";
import { and, desc, type SQL, sql } from "drizzle-orm";
import { savedVideos } from "#db/schema/videos.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { decodeCursor, encodeCursor, type Position } from "#lib/core/paging.ts";
import { VIDEO_PAGE_MAX } from "./constants.ts";
import { countVideos, findHashtags, ownVideosWhere, type SavedVideo, toVideo } from "./queries.ts";
import type { ListSavedVideosInput, SavedCounts, SavedHashtag } from "./schema.ts";

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
