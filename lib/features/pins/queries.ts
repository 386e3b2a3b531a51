import "server-only";
import { and, desc, eq, lt, ne, or, sql } from "drizzle-orm";
import { preparedOnce } from "#db/prepared.ts";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { type AccountId, type AttemptId, isId, type PinId, type UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/features/identity/policy.ts";
import type { PostFilter } from "./constants.ts";
import type { PostPosition } from "./policy.ts";

type Row = typeof pins.$inferSelect;

/** A pin of ours as the database holds it. */
export type Pin = Omit<Row, "id" | "userId" | "accountId"> & { id: PinId; userId: UserId; accountId: AccountId };

type AttemptRow = typeof publishAttempts.$inferSelect;

/** An attempt to publish a pin as the database holds it: its receipt. */
export type Attempt = Omit<AttemptRow, "id" | "pinId"> & { id: AttemptId; pinId: PinId };

/** Rows of this table hold ids that `createId` made. */
export const toPin = (row: Row): Pin => row as Pin;

/** The same for attempts. */
export const toOwnAttempt = (row: AttemptRow): Attempt => row as Attempt;

/**
 * The actor's pin with an id that came from outside, and its account's username (R-API-31).
 * @throws AppError `not_found`, the same for a foreign, absent or malformed id and for pins of a removed account.
 */
export const requireOwnedPin = async (ctx: Ctx, id: string): Promise<{ pin: Pin; username: string }> => {
  const userId = requireUserId(ctx);
  if (!isId("pin", id)) throw new AppError("not_found");
  const [row] = await ctx.db
    .select({ pin: pins, username: pinterestAccounts.username })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(and(eq(pins.id, id), eq(pins.userId, userId), ne(pinterestAccounts.status, "removed")));
  if (!row) throw new AppError("not_found");
  return { pin: toPin(row.pin), username: row.username };
};

/** What a post's answer needs, and no more: where there are many, each column counts. */
const POST_COLUMNS = {
  id: pins.id,
  accountId: pins.accountId,
  boardId: pins.boardId,
  title: pins.title,
  description: pins.description,
  altText: pins.altText,
  link: pins.link,
  keyword: pins.keyword,
  imageKey: pins.imageKey,
  status: pins.status,
  scheduledAt: pins.scheduledAt,
  publishedAt: pins.publishedAt,
  pinterestPinId: pins.pinterestPinId,
  reason: pins.reason,
  mayBePublished: pins.mayBePublished,
  createdAt: pins.createdAt,
};

/** A pin as lists show it. */
export type Post = Pick<Pin, keyof typeof POST_COLUMNS>;

/** The same with the username of the actor's account that it belongs to. */
export type OwnPost = Post & { username: string };

const asked = {
  userId: sql.placeholder("userId"),
  accountId: sql.placeholder("accountId"),
  createdAt: sql.placeholder("createdAt"),
  id: sql.placeholder("id"),
};

const comesAfter = or(
  lt(pins.createdAt, asked.createdAt),
  and(eq(pins.createdAt, asked.createdAt), lt(pins.id, asked.id)),
);

const selectPosts = (db: Ctx["db"], filter: PostFilter, isFurther: boolean) =>
  db
    .select({ username: pinterestAccounts.username, ...POST_COLUMNS })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(
      and(
        eq(pins.accountId, asked.accountId),
        eq(pinterestAccounts.userId, asked.userId),
        ne(pinterestAccounts.status, "removed"),
        filter === "all" ? undefined : eq(pins.status, filter),
        isFurther ? comesAfter : undefined,
      ),
    )
    .orderBy(desc(pins.createdAt), desc(pins.id))
    .limit(sql.placeholder("limit"))
    .prepare(`posts_${filter}`);

const firstPosts = {
  all: preparedOnce((db) => selectPosts(db, "all", false)),
  draft: preparedOnce((db) => selectPosts(db, "draft", false)),
  scheduled: preparedOnce((db) => selectPosts(db, "scheduled", false)),
  published: preparedOnce((db) => selectPosts(db, "published", false)),
  failed: preparedOnce((db) => selectPosts(db, "failed", false)),
} as const satisfies Record<PostFilter, unknown>;

interface PageOfPosts {
  filter: PostFilter;
  /** Only what comes after this position. */
  after: PostPosition | null;
  limit: number | undefined;
}

/**
 * The pins of the actor's account with its username, newest first; without a limit all of them. One query: none for an
 * account that is foreign, absent, removed or malformed.
 */
export const findPosts = async (
  ctx: Ctx,
  accountId: string,
  { filter, after, limit }: PageOfPosts,
): Promise<OwnPost[]> => {
  const userId = requireUserId(ctx);
  if (!isId("account", accountId)) return [];
  // PostgreSQL takes a limit of null for none.
  const own = { userId, accountId, limit: limit ?? null };
  const rows = after
    ? selectPosts(ctx.db, filter, true).execute({ ...own, createdAt: after.createdAt.toISOString(), id: after.id })
    : firstPosts[filter](ctx.db).execute(own);
  // Rows of this table hold ids that `createId` made.
  return rows as Promise<OwnPost[]>;
};

/** The attempts to publish a pin, newest first. */
export const findAttempts = async (ctx: Ctx, pinId: PinId): Promise<Attempt[]> => {
  const rows = await ctx.db
    .select()
    .from(publishAttempts)
    .where(eq(publishAttempts.pinId, pinId))
    .orderBy(desc(publishAttempts.number));
  return rows.map(toOwnAttempt);
};
