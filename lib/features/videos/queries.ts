import "server-only";
import { and, arrayContains, eq, isNull, type SQL, sql } from "drizzle-orm";
import { savedVideos, videoSearchText } from "#db/schema/videos.ts";
import { containsWord } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { UserId, VideoId } from "#lib/core/ids.ts";
import { searchWords } from "#lib/core/text.ts";
import type { SavedCounts, SavedHashtag } from "./schema.ts";

type Row = typeof savedVideos.$inferSelect;

export type SavedVideo = Omit<Row, "id" | "userId"> & { id: VideoId; userId: UserId };

/** The table holds only ids from `createId`. */
export const toVideo = (row: Row): SavedVideo => row as SavedVideo;

/** Deleted videos are hidden at once and purged later. */
export const isNotDeleted = isNull(savedVideos.deletedAt);

const { title, description, author, authorUrl, thumbnailUrl, notes, hashtags, tags } = savedVideos;

/** Bytes of a row's long texts. Short columns are bounded by the number of rows. */
export const rowBytes: SQL<number> = sql.join(
  [
    ...[title, description, author, authorUrl, thumbnailUrl, notes].map(
      (text) => sql`coalesce(octet_length(${text}), 0)`,
    ),
    // Each hashtag is stored twice.
    sql`2 * octet_length(array_to_string(${hashtags}, ','))`,
    sql`octet_length(array_to_string(${tags}, ','))`,
  ],
  sql` + `,
) as SQL<number>;

interface VideoFilter {
  search?: string | undefined;
  /** In lower case, without '#'. */
  hashtag?: string | undefined;
}

export const ownVideosWhere = (ctx: Ctx, { search, hashtag }: VideoFilter): SQL | undefined =>
  and(
    eq(savedVideos.userId, requireUserId(ctx)),
    isNotDeleted,
    hashtag ? arrayContains(savedVideos.hashtagKeys, [hashtag]) : undefined,
    ...searchWords(search ?? "").map((word) => containsWord(videoSearchText(savedVideos), word)),
  );

/** The counts of the list, in one query. */
export const countVideos = async (ctx: Ctx, filter: VideoFilter): Promise<SavedCounts> => {
  const isFiltered = Boolean(filter.hashtag) || searchWords(filter.search ?? "").length > 0;
  const all = isFiltered
    ? ctx.db.select({ total: sql`count(*)` }).from(savedVideos).where(ownVideosWhere(ctx, {}))
    : sql`count(*)`;
  const [row] = await ctx.db
    .select({
      total: sql<number>`(${all})::int`,
      found: sql<number>`count(*)::int`,
      views: sql<number>`coalesce(sum(${savedVideos.views}), 0)::float8`,
    })
    .from(savedVideos)
    .where(ownVideosWhere(ctx, filter));
  return row ?? { total: 0, found: 0, views: 0 };
};

/** The user's hashtags in alphabetical order, without case-insensitive duplicates. */
export const findHashtags = async (ctx: Ctx): Promise<SavedHashtag[]> => {
  const rows = await ctx.db.execute<{ hashtag: string; videos: number }>(sql`
    select min(tag.display collate "C") as hashtag, count(*)::int as videos
    from ${savedVideos} cross join lateral unnest(${savedVideos.hashtags}, ${savedVideos.hashtagKeys}) as tag (display, key)
    where ${ownVideosWhere(ctx, {})} group by tag.key`);
  const { compare } = new Intl.Collator("en");
  return rows
    .map(({ hashtag, videos }) => ({ hashtag, videos: Number(videos) }))
    .toSorted((a, b) => compare(a.hashtag, b.hashtag));
};
