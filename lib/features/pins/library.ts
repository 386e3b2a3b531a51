import "server-only";
import { and, asc, count, desc, eq, inArray, isNotNull, ne, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { preparedOnce } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { isId } from "#lib/core/ids.ts";
import { searchWords } from "#lib/core/text.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { type PostFilter, REVIEW_MAX } from "./constants.ts";
import { decodePosition, encodePosition, type PostPosition, STRETCHES, type Stretch } from "./policy.ts";
import {
  ACCOUNT_COLUMNS,
  findAttempts,
  findPostsById,
  type OwnAccount,
  type OwnPost,
  ownPostsWhere,
  POST_COLUMNS,
  type Post,
  requireOwnedPin,
  type ShownAccount,
} from "./queries.ts";
import type { ListPostsInput, PinIdInput, PostCounts, ReceiptWire } from "./schema.ts";
import { toAttempt, toPost } from "./serializers.ts";

/** Posts of one account in the order asked for, and where the next page begins. */
export interface PostPage {
  account: ShownAccount;
  pins: Post[];
  nextCursor: string | null;
  /** In each state, of what the search finds; where they were asked for. */
  counts?: PostCounts;
}

/** A stretch of one state alone has nothing to give to a list of another. */
const mayHold = (stretch: Stretch, filter: PostFilter): boolean =>
  stretch === "scheduled" ? filter === "all" || filter === "scheduled" : stretch !== "rest" || filter !== "scheduled";

interface Pages {
  input: ListPostsInput;
  words: string[];
  after: PostPosition | null;
}

/** Stretch after stretch from the position on, until there is one more than asked: that tells of a further page. */
const readStretches = async (ctx: Ctx, { input, words, after }: Pages): Promise<OwnPost[]> => {
  const { accountId, status: filter, sort, ids } = input;
  const stretches: readonly Stretch[] = STRETCHES[sort];
  const from = after ? stretches.indexOf(after.stretch) : 0;
  const wanted = input.limit === undefined ? null : input.limit + 1;
  const found: OwnPost[] = [];
  for (const stretch of stretches.slice(from)) {
    const limit = wanted === null ? null : wanted - found.length;
    if (!mayHold(stretch, filter) || limit === 0) continue;
    const since = after?.stretch === stretch ? after : null;
    found.push(...(await findPosts(ctx, accountId, { filter, words, ids, stretch, after: since, limit })));
  }
  return found;
};

const positionOf = (pin: Post, { sort }: ListPostsInput): PostPosition => {
  const { id } = pin;
  if (sort === "title") return { stretch: "title", key: pin.title, id };
  if (sort !== "due") return { stretch: sort, key: pin.createdAt, id };
  return pin.status === "scheduled" && pin.scheduledAt
    ? { stretch: "scheduled", key: pin.scheduledAt, id }
    : { stretch: "rest", key: pin.createdAt, id };
};

/**
 * The pins of one of the actor's accounts, in one state or all (R-POST-03), that hold every word of the search;
 * of those that are named by their ids, where some are.
 * @throws AppError `not_found` for an account that is not the actor's; `invalid` for a cursor that is not of this order.
 */
export const listPosts = async (ctx: Ctx, input: ListPostsInput): Promise<PostPage> => {
  const { accountId, limit } = input;
  const after = input.cursor === undefined ? null : decodePosition(input.cursor, input.sort);
  if (input.cursor !== undefined && !after) {
    await requireOwnedAccount(ctx, accountId);
    throw new AppError("invalid", { text: "The cursor is not one of ours." });
  }
  const words = searchWords(input.q ?? "");
  const [found, counts] = await Promise.all([
    readStretches(ctx, { input, words, after }),
    input.counts ? countPosts(ctx, accountId, words) : null,
  ]);
  // No pin: either there is none, or the account is not theirs.
  const account = found[0]?.account ?? (await requireOwnedAccount(ctx, accountId));
  const pins = limit === undefined ? found : found.slice(0, limit);
  const last = pins.at(-1);
  const nextCursor = last && found.length > pins.length ? encodePosition(positionOf(last, input)) : null;
  return { account, pins, nextCursor, ...(counts && { counts }) };
};

/**
 * The drafts of one of the actor's accounts for a quick review, newest first: all of them, or where there are too many
 * those that have not been decided on (D9). The order is that of an index, whose state stands in the statement itself.
 * @throws AppError `not_found` for an account that is not the actor's.
 */
export const listDrafts = async (ctx: Ctx, { accountId }: { accountId: string }): Promise<PostPage> => {
  const account = await requireOwnedAccount(ctx, accountId);
  const shown = ctx.db
    .select({ id: pins.id, createdAt: pins.createdAt })
    .from(pins)
    .where(and(eq(pins.accountId, account.id), sql`${pins.status} = 'draft'`))
    .orderBy(isNotNull(pins.review), desc(pins.createdAt), desc(pins.id))
    .limit(REVIEW_MAX)
    .as("shown");
  const rows = await ctx.db.select({ id: shown.id }).from(shown).orderBy(desc(shown.createdAt), desc(shown.id));
  const ids = rows.map(({ id }) => id);
  return { account, pins: await findPostsById(ctx, ids), nextCursor: null };
};

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
const findPosts = async (ctx: Ctx, accountId: string, asked: PostsAsked): Promise<OwnPost[]> => {
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

/** How many pins of an account of the actor's hold all these words, in each state and in all. One query. */
const countPosts = async (ctx: Ctx, accountId: string, words: readonly string[]): Promise<PostCounts> => {
  const counts: PostCounts = { all: 0, draft: 0, scheduled: 0, published: 0, failed: 0 };
  const userId = requireUserId(ctx);
  if (!isId("account", accountId)) return counts;
  const rows = await ctx.db
    .select({ status: pins.status, found: count() })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(ownPostsWhere({ userId, accountId }, "all", words))
    .groupBy(pins.status);
  for (const { status, found } of rows) {
    if (status === "deleted") continue;
    counts[status] = found;
    counts.all += found;
  }
  return counts;
};

/** A pin of the actor with its receipt (DESIGN §5.5). @throws AppError `not_found`. */
export const readPost = async (ctx: Ctx<"pinterest">, { pinId }: PinIdInput): Promise<ReceiptWire> => {
  const { pin, account } = await requireOwnedPin(ctx, pinId);
  const attempts = await findAttempts(ctx, pin.id);
  return { post: toPost(ctx, pin, account), attempts: attempts.map((attempt) => toAttempt(ctx, attempt)) };
};
