import "server-only";
import { and, asc, eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { REVIEW_MAX, TEXTS } from "./constants.ts";
import { findPostsById, requireOwnedPin } from "./queries.ts";
import type { ListReviewedInput, PostsWire, RecordReviewInput } from "./schema.ts";
import { toPosts } from "./serializers.ts";

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

/**
 * Records what its owner said of a draft that was shown to them by itself (D9); null takes that back. It decides
 * nothing: an approved draft waits to be scheduled, a rejected one to be deleted, and either may be decided anew.
 * @throws AppError `not_found`; `wrong_state` for a pin that is no draft.
 */
export const recordReview = async (ctx: Ctx, { pinId, review }: RecordReviewInput): Promise<void> => {
  const { pin } = await requireOwnedPin(ctx, pinId);
  const now = ctx.now();
  const [recorded] = await ctx.db
    .update(pins)
    .set({ review, reviewedAt: review && now, updatedAt: now })
    .where(and(eq(pins.id, pin.id), eq(pins.status, "draft")))
    .returning({ id: pins.id });
  if (!recorded) throw new AppError("wrong_state", { text: TEXTS.notReviewable });
};
