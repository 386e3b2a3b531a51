import "server-only";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { hasEnded, isCanceling, standingOf } from "./policy.ts";
import { findSubscription, findSubscriptionView, type SubscriptionView } from "./queries.ts";
import { writeSubscription } from "./write-subscription.ts";

/**
 * Ends the actor's subscription at the end of its period, and at once when it is paused (R-SET-07, R-SUB-02, A-20).
 * A second time changes nothing, asks the provider nothing, and answers the same.
 * @throws AppError `wrong_state` for one who never had a subscription; the provider's errors.
 */
export const cancelSubscription = async (
  ctx: Ctx<"payments">,
): Promise<{ message: string; view: SubscriptionView }> => {
  const userId = requireUserId(ctx);
  const subscription = await findSubscription(ctx, userId);
  if (!subscription) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToCancel });
  const at = await databaseTime(ctx);
  if (!hasEnded(subscription, at) && !isCanceling(subscription, at)) {
    await writeSubscription(ctx, {
      id: subscription.id,
      write: () => ctx.payments.cancelSubscription(subscription.id, "period_end"),
      hasHappened: ({ status, scheduledChange }) => status === "canceled" || scheduledChange?.action === "cancel",
    });
  }
  const view = await findSubscriptionView(ctx, userId);
  const isOver = standingOf(view.subscription, view.now).status === "canceled";
  return { message: isOver ? SETTINGS_TEXTS.canceledAtOnce : SETTINGS_TEXTS.canceled, view };
};
