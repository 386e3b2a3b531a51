import { type Card, judge, toStoredCard } from "../cards.ts";
import { askBank, type PayOutcome, pay } from "../checkout/pay.ts";
import type { Paddle } from "../context.ts";
import { type Edit, edit } from "../edit.ts";
import type { Subscription, Transaction } from "../model.ts";
import { createTransaction, markCompleted, markDeclined } from "../transactions.ts";
import { changeable } from "./cancel-subscription.ts";
import { findSubscription, secretsOf } from "./find-subscription.ts";

/**
 * Keeps another card for a subscription. What is past due is paid with it at once; otherwise a transaction over
 * nothing records the change.
 * @throws RefusedError for a canceled one.
 */
export function changePaymentMethod(paddle: Paddle, subscriptionId: string, card: Card): PayOutcome {
  const subscription = changeable(findSubscription(paddle, subscriptionId));
  const pastDue = paddle.store.state.secrets.get(subscriptionId)?.dunning?.transactionId;
  if (pastDue !== undefined) return pay(paddle, pastDue, card);
  return edit(paddle, (one): PayOutcome => {
    const transaction = paymentMethodTransaction(paddle, one, subscription);
    const stored = toStoredCard(card, one.at, one.stamp());
    const verdict = judge(card, one.at);
    if (verdict === "challenge") return askBank(one, { transactionId: transaction.id, subscriptionId, card: stored });
    if (verdict !== "accepted") {
      const { errorCode } = verdict;
      return { outcome: "declined", errorCode, transaction: markDeclined(one, transaction, stored, errorCode) };
    }
    one.put("secrets", { ...secretsOf(one, subscriptionId), card: stored });
    const { customer_id, address_id } = subscription;
    const saved = { id: stored.id, customer_id, address_id, type: "card", origin: "subscription" };
    one.emit("payment_method.saved", { ...saved, saved_at: stored.savedAt, updated_at: stored.savedAt });
    return { outcome: "completed", transaction: markCompleted(one, transaction) };
  });
}

/** A transaction over nothing, in which a card is given. */
export function paymentMethodTransaction(paddle: Paddle, one: Edit, subscription: Subscription): Transaction {
  const period = subscription.current_billing_period;
  return createTransaction(paddle, one, {
    lines: subscription.items.map(({ price, product, quantity }) => ({
      price,
      product,
      quantity,
      share: { days: 0, of: 1 },
    })),
    origin: "subscription_payment_method_change",
    customerId: subscription.customer_id,
    addressId: subscription.address_id,
    currency: subscription.currency_code,
    customData: subscription.custom_data,
    subscriptionId: subscription.id,
    billingPeriod: period,
  });
}
