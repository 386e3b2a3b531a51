import { settleRefund } from "./adjustments.ts";
import { laterRefusal, type StoredCard } from "./cards.ts";
import { RefusedError } from "./http.ts";
import type { Period, Subscription, Transaction } from "./model.ts";
import { addDays, periodAfter } from "./periods.ts";
import { type Change, commit, isoMicros, type Paddle } from "./state.ts";
import { billSubscription, changeable, endSubscription, recurringLines, secretsOf } from "./subscriptions.ts";
import { markCompleted, markDeclined, markPaid } from "./transactions.ts";

/** Bills the period that follows the current one. */
function renew(paddle: Paddle, change: Change, subscription: Subscription): void {
  const { current_billing_period: period, first_billed_at, billing_cycle } = subscription;
  if (period !== null) begin(paddle, change, subscription, periodAfter(first_billed_at, billing_cycle, period.ends_at));
}

/**
 * Begins a period and bills it with the kept card: the transaction's events come before `subscription.updated`. A
 * declined card begins dunning.
 */
function begin(paddle: Paddle, change: Change, subscription: Subscription, period: Period): void {
  const { card } = secretsOf(change, subscription.id);
  const lines = recurringLines(subscription, period);
  const bill = { lines, origin: "subscription_recurring", billingPeriod: period } as const;
  const transaction = billSubscription(paddle, change, subscription, bill);
  const updated_at = change.stamp();
  const dates = { previously_billed_at: period.starts_at, next_billed_at: period.ends_at, updated_at };
  const renewed: Subscription = {
    ...subscription,
    current_billing_period: period,
    next_billed_at: period.ends_at,
    items: subscription.items.map((item) => ({ ...item, ...dates })),
  };
  const refusal = laterRefusal(card, change.at);
  if (refusal !== undefined) {
    beginDunning(paddle, change, renewed, markDeclined(change, transaction, card, refusal));
    return;
  }
  markCompleted(change, markPaid(change, transaction, card));
  change.save("subscriptions", renewed, "subscription.updated");
}

/** Resumes a paused one now: `subscription.resumed`, and a new period that is billed at once. @throws RefusedError */
export function resumeSubscription(paddle: Paddle, subscription: Subscription): Subscription {
  if (changeable(subscription).status !== "paused") throw new RefusedError("subscription_is_not_paused");
  return commit(paddle, (change) => {
    const at = change.stamp();
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
    begin(paddle, change, active, period);
    return change.get("subscriptions", subscription.id) ?? active;
  });
}

/** A renewal was declined: the transaction and its subscription are past due, and the next try is planned. */
function beginDunning(paddle: Paddle, change: Change, subscription: Subscription, unpaid: Transaction): void {
  const transaction = change.save("transactions", { ...unpaid, status: "past_due" }, "transaction.past_due");
  const pastDue = change.save("subscriptions", { ...subscription, status: "past_due" }, "subscription.past_due");
  planRetry(paddle, change, pastDue, transaction, 0);
}

/** Plans the next try or, after the last one, ends the subscription as the setting says. */
function planRetry(
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

/** Tries a past due renewal once more. */
function retryPastDue(paddle: Paddle, change: Change, subscription: Subscription): void {
  const { dunning, card } = secretsOf(change, subscription.id);
  const transaction = change.get("transactions", dunning?.transactionId ?? "");
  if (dunning === null || transaction === undefined) return;
  const refusal = laterRefusal(card, change.at);
  if (refusal === undefined) {
    settlePastDue(change, markPaid(change, transaction, card), card);
    return;
  }
  const declined = markDeclined(change, transaction, card, refusal);
  planRetry(paddle, change, subscription, declined, dunning.retriesDone + 1);
}

/** A transaction of a subscription is paid: what was past due goes on, with the card that paid. */
export function settlePastDue(change: Change, paid: Transaction, card: StoredCard): Transaction {
  const subscription = change.get("subscriptions", paid.subscription_id ?? "");
  const completed = markCompleted(change, paid);
  if (subscription === undefined) return completed;
  change.put("secrets", { id: subscription.id, card, dunning: null });
  if (subscription.status !== "past_due") return completed;
  change.save("subscriptions", { ...subscription, status: "active" }, "subscription.updated", "subscription.activated");
  return completed;
}

/** Something that happens by itself at its time. */
interface Due {
  at: string;
  happen(change: Change): void;
}

const MINUTE_MS = 60_000;
/** More steps than any test needs; without it a mistake here would never end. */
const MAX_STEPS = 100_000;

/** Does what is due by the stand-in's clock, each thing at its own time, the earliest first. */
export function runDue(paddle: Paddle): void {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    let next: Due | undefined;
    for (const due of allDue(paddle)) if (next === undefined || Date.parse(due.at) < Date.parse(next.at)) next = due;
    if (next === undefined || Date.parse(next.at) > paddle.clock.now().getTime()) return;
    commit(paddle, next.happen, new Date(next.at));
  }
}

/** A planned end comes before the renewal of the same moment. */
function* allDue(paddle: Paddle): Generator<Due> {
  const { subscriptions, secrets, adjustments } = paddle.store.state;
  for (const subscription of subscriptions.values()) {
    const { scheduled_change, next_billed_at, status } = subscription;
    if (status === "canceled") continue;
    if (scheduled_change !== null) {
      const happen = (change: Change) => void endSubscription(change, subscription, "canceled");
      yield { at: scheduled_change.effective_at, happen };
    }
    if (next_billed_at !== null && status === "active") {
      yield { at: next_billed_at, happen: (change) => renew(paddle, change, subscription) };
    }
    const dunning = secrets.get(subscription.id)?.dunning;
    if (dunning) yield { at: dunning.nextRetryAt, happen: (change) => retryPastDue(paddle, change, subscription) };
  }
  const { refundMinutes } = paddle.settings.values;
  for (const adjustment of adjustments.values()) {
    if (adjustment.status !== "pending_approval" || refundMinutes === 0) continue;
    const at = new Date(Date.parse(adjustment.created_at) + refundMinutes * MINUTE_MS).toISOString();
    yield { at, happen: (change) => void settleRefund(change, adjustment, "approved") };
  }
}
