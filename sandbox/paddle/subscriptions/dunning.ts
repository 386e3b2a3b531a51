import { paysNow } from "../cards.ts";
import type { Paddle } from "../context.ts";
import type { Edit } from "../edit.ts";
import type { Subscription, Transaction } from "../model.ts";
import type { StoredCard } from "../records.ts";
import { addDays, isoMicros } from "../time.ts";
import { markCompleted, markDeclined, markPaid } from "../transactions.ts";
import { endSubscription } from "./end-subscription.ts";
import { secretsOf } from "./find-subscription.ts";

/** A renewal was declined: the transaction and its subscription are past due, and the next try is planned. */
export function beginDunning(paddle: Paddle, one: Edit, subscription: Subscription, unpaid: Transaction): void {
  const transaction = one.save("transactions", { ...unpaid, status: "past_due" }, "transaction.past_due");
  const pastDue = one.save("subscriptions", { ...subscription, status: "past_due" }, "subscription.past_due");
  const secrets = secretsOf(one, subscription.id);
  one.put("secrets", {
    ...secrets,
    dunning: { transactionId: transaction.id, retriesDone: 0, nextRetryAt: nextTry(paddle, one) },
  });
  if (paddle.settings.dunningRetries === 0) giveUp(paddle, one, pastDue, transaction);
}

/** Tries a past due renewal once more. After the last try the subscription is canceled or paused, as the setting says. */
export function retryPastDue(paddle: Paddle, one: Edit, subscription: Subscription): void {
  const secrets = secretsOf(one, subscription.id);
  const { dunning, card } = secrets;
  const transaction = dunning === null ? undefined : one.get("transactions", dunning.transactionId);
  if (dunning === null || card === null || transaction === undefined) return;
  const refusal = paysNow(card, one.at);
  if (refusal === undefined) {
    settlePastDue(one, markPaid(one, transaction, card), card);
    return;
  }
  const declined = markDeclined(one, transaction, card, refusal.errorCode);
  const retriesDone = dunning.retriesDone + 1;
  one.put("secrets", { ...secrets, dunning: { ...dunning, retriesDone, nextRetryAt: nextTry(paddle, one) } });
  if (retriesDone >= paddle.settings.dunningRetries) giveUp(paddle, one, subscription, declined);
}

/** A transaction of a subscription is paid: what was past due goes on, with the card that paid. */
export function settlePastDue(one: Edit, paid: Transaction, card: StoredCard): Transaction {
  const subscription = paid.subscription_id === null ? undefined : one.get("subscriptions", paid.subscription_id);
  const completed = markCompleted(one, paid);
  if (subscription === undefined) return completed;
  one.put("secrets", { ...secretsOf(one, subscription.id), card, dunning: null });
  if (subscription.status !== "past_due") return completed;
  one.save("subscriptions", { ...subscription, status: "active" }, "subscription.updated", "subscription.activated");
  return completed;
}

function giveUp(paddle: Paddle, one: Edit, subscription: Subscription, transaction: Transaction): void {
  one.save("transactions", { ...transaction, status: "canceled" }, "transaction.canceled");
  endSubscription(one, subscription, paddle.settings.dunningEnd);
}

function nextTry({ settings }: Paddle, one: Edit): string {
  return isoMicros(addDays(one.at, settings.dunningDays));
}
