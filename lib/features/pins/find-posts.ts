import "server-only";
import { and, asc, desc, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import { preparedOnce } from "#db/prepared.ts";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { isId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import type { PostFilter } from "./constants.ts";
import type { PostPosition, Stretch } from "./policy.ts";
import { ACCOUNT_COLUMNS, type OwnAccount, type OwnPost, ownPostsWhere, POST_COLUMNS } from "./queries.ts";

interface PostsAsked {
  filter: PostFilter;
  /** All must be in title or keyword, in lower case. */
  words: readonly string[];
  /** Only these, where they are named. */
  ids?: readonly string[] | undefined;
  stretch: Stretch;
  /** Only what comes after this position of the stretch. */
  after: PostPosition | null;
  limit: number | null;
}

const TITLE = sql`${pins.title} collate "und-x-icu"`;
const NEWEST = [desc(pins.createdAt), desc(pins.id)];
const beforeMoment = (key: string, id: string): SQL =>
  sql`(${pins.createdAt}, ${pins.id}) < (${key}::timestamptz, ${id})`;

/** Each order has an index that ends in what it sorts by: a page costs the same however far down it is. */
const ORDERS: Record<Stretch, { only?: SQL; by: SQL[]; after: (key: string, id: string) => SQL }> = {
  newest: { by: NEWEST, after: beforeMoment },
  rest: { only: ne(pins.status, "scheduled"), by: NEWEST, after: beforeMoment },
  oldest: {
    by: [asc(pins.createdAt), asc(pins.id)],
    after: (key, id) => sql`(${pins.createdAt}, ${pins.id}) > (${key}::timestamptz, ${id})`,
  },
  scheduled: {
    only: eq(pins.status, "scheduled"),
    by: [asc(pins.scheduledAt), asc(pins.id)],
    after: (key, id) => sql`(${pins.scheduledAt}, ${pins.id}) > (${key}::timestamptz, ${id})`,
  },
  title: { by: [asc(TITLE), asc(pins.id)], after: (key, id) => sql`(${TITLE}, ${pins.id}) > (${key}, ${id})` },
};

const keyText = ({ key }: PostPosition): string => (typeof key === "string" ? key : key.toISOString());

const selectPosts = (db: Ctx["db"], own: OwnAccount, asked: Omit<PostsAsked, "limit">) => {
  const { filter, words, ids, stretch, after } = asked;
  const { only, by, after: comesAfter } = ORDERS[stretch];
  const named = ids && inArray(pins.id, [...ids]);
  return db
    .select({ account: ACCOUNT_COLUMNS, ...POST_COLUMNS })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(
      and(ownPostsWhere(own, filter, words), named, only, after ? comesAfter(keyText(after), after.id) : undefined),
    )
    .orderBy(...by);
};

const ASKED = { userId: sql.placeholder("userId"), accountId: sql.placeholder("accountId") };

/** The start of a list as most calls want it is put together once. PostgreSQL takes a limit of null for none. */
const newest = (filter: PostFilter) =>
  preparedOnce((db) =>
    selectPosts(db, ASKED, { filter, words: [], stretch: "newest", after: null })
      .limit(sql.placeholder("limit"))
      .prepare(`posts_${filter}`),
  );

const firstPosts = {
  all: newest("all"),
  draft: newest("draft"),
  scheduled: newest("scheduled"),
  published: newest("published"),
  failed: newest("failed"),
} as const satisfies Record<PostFilter, unknown>;

/**
 * The pins of the actor's account in one stretch of an order, with what is shown of it; without a limit all of them. One
 * query: none for an account that is foreign, absent, removed or malformed.
 */
export const findPosts = async (ctx: Ctx, accountId: string, asked: PostsAsked): Promise<OwnPost[]> => {
  const userId = requireUserId(ctx);
  if (!isId("account", accountId)) return [];
  const { filter, words, ids, stretch, after, limit } = asked;
  const own = { userId, accountId };
  const isPlain = stretch === "newest" && words.length === 0 && !ids && !after;
  const rows = isPlain
    ? firstPosts[filter](ctx.db).execute({ ...own, limit })
    : limit === null
      ? selectPosts(ctx.db, own, asked)
      : selectPosts(ctx.db, own, asked).limit(limit);
  // Rows of this table hold ids that `createId` made.
  return rows as Promise<OwnPost[]>;
};
