import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { searchWords } from "#lib/core/search-words.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import type { PostFilter } from "./constants.ts";
import { countPosts } from "./count-posts.ts";
import { findPosts } from "./find-posts.ts";
import { decodePosition, encodePosition, type PostPosition, STRETCHES, type Stretch } from "./policy.ts";
import type { OwnPost, Post, ShownAccount } from "./queries.ts";
import type { ListPostsInput, PostCounts } from "./schema.ts";

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
