import { paysNow } from "../cards.ts";
import type { Paddle } from "../context.ts";
import { creditOf, putCredit } from "../credit.ts";
import { type Edit, edit } from "../edit.ts";
import type { CustomData, Subscription, Transaction } from "../model.ts";
import { invalidField, REFUSALS, RefusedError } from "../refusals.ts";
import { createTransaction, markCompleted, markDeclined, markPaid } from "../transactions.ts";
import { beginDunning } from "./dunning.ts";
import { findSubscription, secretsOf } from "./find-subscription.ts";
import { type ChangePlan, type ProrationMode, planChange } from "./plan-change.ts";

/** The body of `PATCH /subscriptions/:id`, as far as it is played. */
export interface SubscriptionUpdate {
  items?: { price_id?: string; quantity?: number }[];
  proration_billing_mode?: ProrationMode;
  on_payment_failure?: "prevent_change" | "apply_change";
  scheduled_change?: null;
  custom_data?: CustomData;
  next_billed_at?: string;
}

const LOCK_MS = 30 * 60 * 1000;
const PLAYED = new Set([
  "items",
  "proration_billing_mode",
  "on_payment_failure",
  "scheduled_change",
  "custom_data",
  "next_billed_at",
]);

/**
 * Changes a subscription. New items are billed as `proration_billing_mode` says; a declined payment leaves all as it
 * was, unless the change is to be applied nevertheless: then the subscription is past due.
 * @throws RefusedError when it may not be changed now, and when the payment is declined.
 */
export function updateSubscription(paddle: Paddle, id: string, update: SubscriptionUpdate): Subscription {
  const subscription = findSubscription(paddle, id);
  assertUpdatable(paddle, subscription, update);
  return edit(paddle, (one) => apply(paddle, one, subscription, update));
}

/** The change that new items would make. */
export function planUpdate(
  paddle: Paddle,
  one: Edit,
  subscription: Subscription,
  update: SubscriptionUpdate,
): ChangePlan {
  const wanted = (update.items ?? []).map(({ price_id, quantity }) => {
    if (price_id === undefined) throw invalidField("items", "only prices of the catalogue are played by this stand-in");
    return { price_id, ...(quantity === undefined ? {} : { quantity }) };
  });
  if (update.proration_billing_mode === undefined) throw new RefusedError(REFUSALS.prorationMissing);
  return planChange(paddle, one, subscription, wanted, update.proration_billing_mode);
}

/** @throws RefusedError when the subscription may not be changed in this way now. */
export function assertUpdatable(
  { settings, clock }: Paddle,
  subscription: Subscription,
  update: SubscriptionUpdate,
): void {
  const strange = Object.keys(update).find((field) => !PLAYED.has(field));
  if (strange !== undefined) throw invalidField(strange, "is not played by this stand-in");
  const { status, scheduled_change, next_billed_at } = subscription;
  if (status === "canceled") throw new RefusedError(REFUSALS.updateWhenCanceled);
  if (update.items === undefined) return;
  if (status === "past_due") throw new RefusedError(REFUSALS.updateWhenPastDue);
  if (scheduled_change !== null && update.scheduled_change !== null) throw new RefusedError(REFUSALS.pendingChanges);
  const leftMs =
    next_billed_at === null ? Number.POSITIVE_INFINITY : Date.parse(next_billed_at) - clock.now().getTime();
  if (settings.renewalLock && leftMs <= LOCK_MS) throw new RefusedError(REFUSALS.lockedRenewal);
}

function apply(paddle: Paddle, one: Edit, subscription: Subscription, update: SubscriptionUpdate): Subscription {
  const changed: Subscription = {
    ...subscription,
    ...(update.scheduled_change === null ? { scheduled_change: null } : {}),
    ...(update.custom_data === undefined ? {} : { custom_data: update.custom_data }),
    ...moved(subscription, update.next_billed_at),
  };
  if (update.items === undefined) return one.save("subscriptions", changed, "subscription.updated");
  const plan = planUpdate(paddle, one, subscription, update);
  const next = { ...changed, items: plan.items };
  const isSame = plan.charges.length === 0 && plan.credit === 0;
  if (plan.billsNow && !isSame)
    return billAndSave(paddle, one, next, plan, update.on_payment_failure ?? "prevent_change");
  const secrets = secretsOf(one, subscription.id);
  one.put("secrets", { ...secrets, postponed: [...secrets.postponed, ...plan.postponed] });
  return one.save("subscriptions", next, "subscription.updated");
}

function billAndSave(
  paddle: Paddle,
  one: Edit,
  next: Subscription,
  plan: ChangePlan,
  onFailure: "prevent_change" | "apply_change",
): Subscription {
  const { card } = secretsOf(one, next.id);
  const refusal = card === null ? { errorCode: "redacted_payment_method" } : paysNow(card, one.at);
  const transaction = billChange(paddle, one, next, plan);
  const due = transaction.details.totals.grand_total;
  if (due === "0" || refusal === undefined) {
    markCompleted(one, markPaid(one, transaction, due === "0" ? null : card));
    return one.save("subscriptions", next, "subscription.updated");
  }
  if (onFailure === "prevent_change" || card === null) throw new RefusedError(REFUSALS.paymentDeclined);
  beginDunning(paddle, one, next, markDeclined(one, transaction, card, refusal.errorCode));
  return one.get("subscriptions", next.id) ?? next;
}

/** The transaction of a change: what is charged, less the credit; credit that is left over is kept for the customer. */
function billChange(paddle: Paddle, one: Edit, subscription: Subscription, plan: ChangePlan): Transaction {
  const { customer_id, currency_code } = subscription;
  const credit = plan.credit + creditOf(paddle, customer_id, currency_code);
  const transaction = createTransaction(paddle, one, {
    lines: plan.charges,
    origin: "subscription_update",
    customerId: customer_id,
    addressId: subscription.address_id,
    currency: currency_code,
    customData: subscription.custom_data,
    subscriptionId: subscription.id,
    billingPeriod: { starts_at: one.stamp(), ends_at: plan.period.ends_at },
    credit,
  });
  const { totals } = transaction.details;
  const left = credit - Number(totals.credit);
  putCredit(one, customer_id, currency_code, left);
  const toBalance = String(Math.max(0, Math.min(left, plan.credit)));
  const details = { ...transaction.details, totals: { ...totals, credit_to_balance: toBalance } };
  return { ...transaction, details };
}

function moved(
  { current_billing_period: period }: Subscription,
  nextBilledAt: string | undefined,
): Partial<Subscription> {
  if (nextBilledAt === undefined || period === null) return {};
  return { next_billed_at: nextBilledAt, current_billing_period: { ...period, ends_at: nextBilledAt } };
}
