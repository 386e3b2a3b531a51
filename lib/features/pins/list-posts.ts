import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { decodeCursor, encodeCursor } from "./policy.ts";
import { findPosts, type Post } from "./queries.ts";
import type { ListPostsInput } from "./schema.ts";

/** Posts of one account, newest first, and where the next page begins. */
export interface PostPage {
  username: string;
  pins: Post[];
  nextCursor: string | null;
}

/**
 * The pins of one of the actor's accounts, in one state or all (R-POST-03).
 * @throws AppError `not_found` for an account that is not the actor's; `invalid` for a cursor that is not ours.
 */
export const listPosts = async (ctx: Ctx, input: ListPostsInput): Promise<PostPage> => {
  const after = input.cursor === undefined ? null : decodeCursor(input.cursor);
  if (input.cursor !== undefined && !after) {
    await requireOwnedAccount(ctx, input.accountId);
    throw new AppError("invalid", { text: "The cursor is not one of ours." });
  }
  const { limit } = input;
  // One more than asked tells whether another page follows.
  const found = await findPosts(ctx, input.accountId, { filter: input.status, after, limit: limit && limit + 1 });
  // No pin: either there is none, or the account is not theirs.
  const { username } = found[0] ?? (await requireOwnedAccount(ctx, input.accountId));
  const pins = limit === undefined ? found : found.slice(0, limit);
  const last = pins.at(-1);
  return {
    username,
    pins,
    nextCursor: last && found.length > pins.length ? encodeCursor(last) : null,
  };
};
