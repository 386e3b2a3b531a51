import { settleRefund } from "./adjustments.ts";
import type { Subscription } from "./model.ts";
import type { Paddle } from "./respond.ts";
import { type Edit, edit } from "./state.ts";
import { endSubscription, renewSubscription, resume, retryPastDue } from "./subscription-billing.ts";

/** Something that happens by itself at its time. */
interface Due {
  atMs: number;
  happen(one: Edit): void;
}

const MINUTE_MS = 60_000;
/** More steps than any test needs; without it a mistake here would never end. */
const MOST_STEPS = 100_000;

/** Lets happen what is due by the stand-in's clock, each thing at its own time, the earliest first. */
export function runDue(paddle: Paddle): void {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const next = earliest(paddle);
    if (next === undefined || next.atMs > paddle.clock.now().getTime()) return;
    edit(paddle, next.happen, new Date(next.atMs));
  }
}

function earliest(paddle: Paddle): Due | undefined {
  let first: Due | undefined;
  for (const due of allDue(paddle)) if (first === undefined || due.atMs < first.atMs) first = due;
  return first;
}

function* allDue(paddle: Paddle): Generator<Due> {
  const { subscriptions, secrets, adjustments } = paddle.store.state;
  for (const subscription of subscriptions.values()) {
    if (subscription.status === "canceled") continue;
    yield* ofSubscription(paddle, subscription);
    const dunning = secrets.get(subscription.id)?.dunning;
    if (dunning) {
      yield { atMs: Date.parse(dunning.nextRetryAt), happen: (one) => retryPastDue(paddle, one, subscription) };
    }
  }
  const { refundMinutes } = paddle.settings;
  for (const adjustment of adjustments.values()) {
    if (adjustment.status !== "pending_approval" || refundMinutes === 0) continue;
    const atMs = Date.parse(adjustment.created_at) + refundMinutes * MINUTE_MS;
    yield { atMs, happen: (one) => void settleRefund(one, adjustment, "approved") };
  }
}

/** A planned change comes before the renewal of the same moment. */
function* ofSubscription(paddle: Paddle, subscription: Subscription): Generator<Due> {
  const { scheduled_change: planned, next_billed_at, status } = subscription;
  if (planned !== null) {
    yield { atMs: Date.parse(planned.effective_at), happen: (one) => carryOut(paddle, one, subscription) };
  }
  if (next_billed_at !== null && (status === "active" || status === "trialing")) {
    yield { atMs: Date.parse(next_billed_at), happen: (one) => renewSubscription(paddle, one, subscription) };
  }
}

function carryOut(paddle: Paddle, one: Edit, subscription: Subscription): void {
  const planned = subscription.scheduled_change;
  if (planned?.action === "cancel") endSubscription(one, subscription, "canceled");
  if (planned?.action === "pause") endSubscription(one, subscription, "paused", planned.resume_at);
  if (planned?.action === "resume") resume(paddle, one, subscription);
}
