import "server-only";
import { and, eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { TEXTS } from "./constants.ts";
import { requireOwnedPin } from "./queries.ts";
import type { RecordReviewInput } from "./schema.ts";

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
