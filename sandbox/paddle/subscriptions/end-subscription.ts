import type { Edit } from "../edit.ts";
import type { ScheduledChange, Subscription } from "../model.ts";
import { secretsOf } from "./find-subscription.ts";

/** Ends or rests a subscription now: `subscription.canceled` or `subscription.paused`. */
export function endSubscription(
  one: Edit,
  subscription: Subscription,
  status: "canceled" | "paused",
  resumeAt: string | null = null,
): Subscription {
  const at = one.stamp();
  const resume: ScheduledChange | null =
    resumeAt === null ? null : { action: "resume", effective_at: resumeAt, resume_at: null };
  const ended: Subscription = {
    ...subscription,
    status,
    canceled_at: status === "canceled" ? at : null,
    paused_at: status === "paused" ? at : null,
    next_billed_at: null,
    current_billing_period: null,
    scheduled_change: status === "paused" ? resume : null,
    items: subscription.items.map((item) => ({ ...item, next_billed_at: null })),
  };
  const secrets = secretsOf(one, subscription.id);
  one.put("secrets", { ...secrets, dunning: null, postponed: [] });
  return one.save("subscriptions", ended, `subscription.${status}`);
}
