import "server-only";
import { and, asc, eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { REVIEW_MAX } from "./constants.ts";
import { toPosts } from "./present.ts";
import { findPostsById } from "./queries.ts";
import type { ListReviewedInput, PostsWire } from "./schema.ts";

/**
 * The drafts that were approved, or rejected, in a review, in the order in which that was said; at most `REVIEW_MAX`.
 * The state stands in the statement itself, as in the index that holds just these.
 * @throws AppError `not_found` for an account that is not the actor's.
 */
export const listReviewed = async (
  ctx: Ctx<"pinterest">,
  { accountId, review }: ListReviewedInput,
): Promise<PostsWire> => {
  const account = await requireOwnedAccount(ctx, accountId);
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(eq(pins.accountId, account.id), sql`${pins.status} = 'draft'`, eq(pins.review, review)))
    .orderBy(asc(pins.reviewedAt), asc(pins.id))
    .limit(REVIEW_MAX);
  const found = await findPostsById(
    ctx,
    rows.map((row) => row.id),
  );
  return toPosts({ account, pins: found, nextCursor: null }, ctx);
};
