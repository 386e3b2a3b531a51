import "server-only";
import { and, asc, eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { REVIEW_MAX, TEXTS } from "./constants.ts";
import { findPinsById, requireOwnedPin } from "./queries.ts";
import type { ListReviewedInput, PinsWire, RecordReviewInput } from "./schema.ts";
import { toPinsWire } from "./serializers.ts";

/** A literal status, for the partial index. @throws AppError `not_found` */
export const listReviewed = async (
  ctx: Ctx<"pinterest">,
  { accountId, review }: ListReviewedInput,
): Promise<PinsWire> => {
  const account = await requireOwnedAccount(ctx, accountId);
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(eq(pins.accountId, account.id), sql`${pins.status} = 'draft'`, eq(pins.review, review)))
    .orderBy(asc(pins.reviewedAt), asc(pins.id))
    .limit(REVIEW_MAX);
  const found = await findPinsById(
    ctx,
    rows.map((row) => row.id),
  );
  return toPinsWire({ account, pins: found, nextCursor: null }, ctx);
};

/** Records the review of a draft; null clears it. @throws AppError `not_found`; `wrong_state` unless a draft */
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
