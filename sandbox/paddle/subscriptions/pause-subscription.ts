import type { Paddle } from "../context.ts";
import { type Edit, edit } from "../edit.ts";
import type { Subscription } from "../model.ts";
import { REFUSALS, RefusedError } from "../refusals.ts";
import { addCycles, microsOf } from "../time.ts";
import { changeable, type EffectiveFrom } from "./cancel-subscription.ts";
import { endSubscription } from "./end-subscription.ts";
import { findSubscription } from "./find-subscription.ts";
import { renewSubscription } from "./renew-subscription.ts";

/** Pauses now, or plans it for the end of the period. @throws RefusedError when it cannot be paused. */
export function pauseSubscription(
  paddle: Paddle,
  id: string,
  from: EffectiveFrom,
  resumeAt: string | null,
): Subscription {
  const subscription = changeable(findSubscription(paddle, id));
  if (subscription.status === "paused") throw new RefusedError(REFUSALS.subscriptionInactive);
  const endsAt = subscription.current_billing_period?.ends_at;
  return edit(paddle, (one) => {
    if (from === "immediately" || endsAt === undefined) return endSubscription(one, subscription, "paused", resumeAt);
    if (subscription.scheduled_change !== null) throw new RefusedError(REFUSALS.pendingChanges);
    const scheduled_change = { action: "pause", effective_at: endsAt, resume_at: resumeAt } as const;
    return one.save("subscriptions", { ...subscription, scheduled_change }, "subscription.updated");
  });
}

/** Resumes a paused one now, with a new period that is billed at once. @throws RefusedError when it is not paused. */
export function resumeSubscription(paddle: Paddle, id: string): Subscription {
  const subscription = changeable(findSubscription(paddle, id));
  if (subscription.status !== "paused") throw new RefusedError(REFUSALS.notPaused);
  return edit(paddle, (one) => resume(paddle, one, subscription));
}

/** Plans when a paused one goes on. */
export function planResume(paddle: Paddle, id: string, resumeAt: string): Subscription {
  const subscription = changeable(findSubscription(paddle, id));
  if (subscription.status !== "paused") throw new RefusedError(REFUSALS.notPaused);
  const scheduled_change = { action: "resume", effective_at: resumeAt, resume_at: null } as const;
  return edit(paddle, (one) =>
    one.save("subscriptions", { ...subscription, scheduled_change }, "subscription.updated"),
  );
}

/** Begins a new period now and bills it; `subscription.resumed` comes before what the bill tells. */
export function resume(paddle: Paddle, one: Edit, subscription: Subscription): Subscription {
  const at = one.stamp();
  const active: Subscription = {
    ...subscription,
    status: "active",
    paused_at: null,
    scheduled_change: null,
    first_billed_at: at,
    next_billed_at: at,
    current_billing_period: {
      starts_at: microsOf(at, addCycles(one.at, subscription.billing_cycle, -1)),
      ends_at: at,
    },
  };
  renewSubscription(paddle, one, one.save("subscriptions", active, "subscription.resumed"));
  return one.get("subscriptions", subscription.id) ?? active;
}
