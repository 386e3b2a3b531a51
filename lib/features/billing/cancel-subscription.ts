import "server-only";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { hasEnded, isCanceling, standingOf } from "./policy.ts";
import { findSubscription, findSubscriptionView, type Subscription, type SubscriptionView } from "./queries.ts";
import { refreshSubscription } from "./refresh-subscription.ts";
import { writeSubscription } from "./write-subscription.ts";

/**
 * The actor's subscription, as the provider has it where our row says that its end is scheduled: that may have been taken
 * back there while the event is on its way. One that is canceled stays so, and nobody is asked about it.
 */
const findCurrent = async (ctx: Ctx<"payments">, userId: UserId): Promise<Subscription | null> => {
  const stored = await findSubscription(ctx, userId);
  if (stored?.status === "canceled" || stored?.scheduledAction !== "cancel") return stored;
  await refreshSubscription(ctx, stored);
  return findSubscription(ctx, userId);
};

/**
 * Ends the actor's subscription at the end of its period, and at once when it is paused (R-SET-07, R-SUB-02, A-20).
 * A second time changes nothing and answers the same, once the provider confirms that its end still stands.
 * @throws AppError `wrong_state` for one who never had a subscription; the provider's errors.
 */
export const cancelSubscription = async (
  ctx: Ctx<"payments">,
): Promise<{ message: string; view: SubscriptionView }> => {
  const userId = requireUserId(ctx);
  const subscription = await findCurrent(ctx, userId);
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
