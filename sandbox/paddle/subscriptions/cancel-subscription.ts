import type { Paddle } from "../context.ts";
import { edit } from "../edit.ts";
import type { Subscription } from "../model.ts";
import { REFUSALS, RefusedError } from "../refusals.ts";
import { endSubscription } from "./end-subscription.ts";
import { findSubscription } from "./find-subscription.ts";

/** When a change takes effect. */
export type EffectiveFrom = "next_billing_period" | "immediately";

/**
 * Cancels now, or plans it for the end of the period. A paused one ends at once.
 * @throws RefusedError when it is canceled already, or a change is planned already.
 */
export function cancelSubscription(paddle: Paddle, id: string, from: EffectiveFrom): Subscription {
  const subscription = changeable(findSubscription(paddle, id));
  const endsAt = subscription.current_billing_period?.ends_at;
  return edit(paddle, (one) => {
    if (from === "immediately" || endsAt === undefined) return endSubscription(one, subscription, "canceled");
    if (subscription.scheduled_change !== null) throw new RefusedError(REFUSALS.pendingChanges);
    const scheduled_change = { action: "cancel", effective_at: endsAt, resume_at: null } as const;
    return one.save("subscriptions", { ...subscription, scheduled_change }, "subscription.updated");
  });
}

/** Takes back what was planned. @throws RefusedError for a canceled one. */
export function dropScheduledChange(paddle: Paddle, id: string): Subscription {
  const subscription = changeable(findSubscription(paddle, id));
  if (subscription.scheduled_change === null) return subscription;
  return edit(paddle, (one) =>
    one.save("subscriptions", { ...subscription, scheduled_change: null }, "subscription.updated"),
  );
}

/** @throws RefusedError for a canceled one: that is final. */
export function changeable(subscription: Subscription): Subscription {
  if (subscription.status === "canceled") throw new RefusedError(REFUSALS.subscriptionCanceled);
  return subscription;
}
