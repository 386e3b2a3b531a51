import { settleRefund } from "./adjustments.ts";
import { renewalDecline, type StoredCard } from "./cards.ts";
import { ApiError } from "./http.ts";
import type { Period, Subscription, Transaction } from "./model.ts";
import { addDays, periodAfter } from "./periods.ts";
import { type Change, commit, isoMicros, type Paddle } from "./state.ts";
import { billSubscription, endSubscription, ensureNotCanceled, recurringLines, secretsOf } from "./subscriptions.ts";
import { markCompleted, markDeclined, markPaid } from "./transactions.ts";

function renew(paddle: Paddle, change: Change, subscription: Subscription): void {
  const { current_billing_period: period, first_billed_at, billing_cycle } = subscription;
  if (period !== null)
    startPeriod(paddle, change, subscription, periodAfter(first_billed_at, billing_cycle, period.ends_at));
}

/** Starts a period and bills it; a declined card starts dunning. The subscription's event comes last. */
function startPeriod(paddle: Paddle, change: Change, subscription: Subscription, period: Period): void {
  const { card } = secretsOf(change, subscription.id);
  const lines = recurringLines(subscription, period);
  const bill = { lines, origin: "subscription_recurring", billingPeriod: period } as const;
  const transaction = billSubscription(paddle, change, subscription, bill);
  const updated_at = change.timestamp();
  const dates = { previously_billed_at: period.starts_at, next_billed_at: period.ends_at, updated_at };
  const renewed: Subscription = {
    ...subscription,
    current_billing_period: period,
    next_billed_at: period.ends_at,
    items: subscription.items.map((item) => ({ ...item, ...dates })),
  };
  const refusal = renewalDecline(card, change.at);
  if (refusal !== undefined) {
    startDunning(paddle, change, renewed, markDeclined(change, transaction, card, refusal));
    return;
  }
  markCompleted(change, markPaid(change, transaction, card));
  change.save("subscriptions", renewed, "subscription.updated");
}

/** Resumes a paused subscription with a new period that is billed now. @throws ApiError */
export function resumeSubscription(paddle: Paddle, subscription: Subscription): Subscription {
  if (ensureNotCanceled(subscription).status !== "paused") throw new ApiError("subscription_is_not_paused");
  return commit(paddle, (change) => {
    const at = change.timestamp();
    const period = periodAfter(at, subscription.billing_cycle, at);
    const active = change.save(
      "subscriptions",
      {
        ...subscription,
        status: "active",
        paused_at: null,
        first_billed_at: at,
        next_billed_at: period.ends_at,
        current_billing_period: period,
      },
      "subscription.resumed",
    );
    startPeriod(paddle, change, active, period);
    return change.get("subscriptions", subscription.id) ?? active;
  });
}

/** A renewal was declined: the transaction and its subscription become past due, and a retry is scheduled. */
function startDunning(paddle: Paddle, change: Change, subscription: Subscription, unpaid: Transaction): void {
  const transaction = change.save("transactions", { ...unpaid, status: "past_due" }, "transaction.past_due");
  const pastDue = change.save("subscriptions", { ...subscription, status: "past_due" }, "subscription.past_due");
  scheduleRetry(paddle, change, pastDue, transaction, 0);
}

/** Schedules the next retry, or after the last one ends the subscription as configured. */
function scheduleRetry(
  { settings }: Paddle,
  change: Change,
  subscription: Subscription,
  transaction: Transaction,
  retriesDone: number,
): void {
  const nextRetryAt = isoMicros(addDays(change.at, settings.values.dunningDays));
  const dunning = { transactionId: transaction.id, retriesDone, nextRetryAt };
  change.put("secrets", { ...secretsOf(change, subscription.id), dunning });
  if (retriesDone < settings.values.dunningRetries) return;
  change.save("transactions", { ...transaction, status: "canceled" }, "transaction.canceled");
  endSubscription(change, subscription, settings.values.dunningEnd);
}

function retryPastDue(paddle: Paddle, change: Change, subscription: Subscription): void {
  const { dunning, card } = secretsOf(change, subscription.id);
  const transaction = change.get("transactions", dunning?.transactionId ?? "");
  if (dunning === null || transaction === undefined) return;
  const refusal = renewalDecline(card, change.at);
  if (refusal === undefined) {
    settlePastDue(change, markPaid(change, transaction, card), card);
    return;
  }
  const declined = markDeclined(change, transaction, card, refusal);
  scheduleRetry(paddle, change, subscription, declined, dunning.retriesDone + 1);
}

/** A transaction of a subscription was paid: a past due subscription becomes active, with the card that paid. */
export function settlePastDue(change: Change, paid: Transaction, card: StoredCard): Transaction {
  const subscription = change.get("subscriptions", paid.subscription_id ?? "");
  const completed = markCompleted(change, paid);
  if (subscription === undefined) return completed;
  change.put("secrets", { id: subscription.id, card, dunning: null });
  if (subscription.status !== "past_due") return completed;
  change.save("subscriptions", { ...subscription, status: "active" }, "subscription.updated", "subscription.activated");
  return completed;
}

interface Due {
  at: string;
  run(change: Change): void;
}

const MINUTE_MS = 60_000;
/** More steps than any test needs, in case of an endless loop. */
const MAX_STEPS = 100_000;

/** Runs everything that is due by the stand-in's clock, each at its own time, earliest first. */
export function runDue(paddle: Paddle): void {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    let next: Due | undefined;
    for (const due of allDue(paddle)) if (next === undefined || Date.parse(due.at) < Date.parse(next.at)) next = due;
    if (next === undefined || Date.parse(next.at) > paddle.clock.now().getTime()) return;
    commit(paddle, next.run, new Date(next.at));
  }
}

/** A scheduled cancellation comes before a renewal at the same time. */
function* allDue(paddle: Paddle): Generator<Due> {
  const { subscriptions, secrets, adjustments } = paddle.store.state;
  for (const subscription of subscriptions.values()) {
    const { scheduled_change, next_billed_at, status } = subscription;
    if (status === "canceled") continue;
    if (scheduled_change !== null) {
      const run = (change: Change) => void endSubscription(change, subscription, "canceled");
      yield { at: scheduled_change.effective_at, run };
    }
    if (next_billed_at !== null && status === "active") {
      yield { at: next_billed_at, run: (change) => renew(paddle, change, subscription) };
    }
    const dunning = secrets.get(subscription.id)?.dunning;
    if (dunning) yield { at: dunning.nextRetryAt, run: (change) => retryPastDue(paddle, change, subscription) };
  }
  const { refundMinutes } = paddle.settings.values;
  for (const adjustment of adjustments.values()) {
    if (adjustment.status !== "pending_approval" || refundMinutes === 0) continue;
    const at = new Date(Date.parse(adjustment.created_at) + refundMinutes * MINUTE_MS).toISOString();
    yield { at, run: (change) => void settleRefund(change, adjustment, "approved") };
  }
}
