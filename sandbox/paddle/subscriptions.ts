import type { StoredCard } from "./cards.ts";
import { ApiError, findOrThrow } from "./http.ts";
import type { Period, Subscription, SubscriptionSecrets, Transaction } from "./model.ts";
import { periodAfter } from "./periods.ts";
import { type Change, commit, newId, type Paddle } from "./state.ts";
import type { Line } from "./totals.ts";
import { createTransaction } from "./transactions.ts";

/** @throws ApiError 404. */
export function findSubscription({ store }: Paddle, id: string | undefined): Subscription {
  return findOrThrow(store.state.subscriptions, "subscription", id);
}

/** @throws ApiError for a canceled subscription, which is final. */
export function ensureNotCanceled(subscription: Subscription): Subscription {
  if (subscription.status === "canceled") throw new ApiError("subscription_is_canceled_action_invalid");
  return subscription;
}

/** The card of a subscription, and the state of its dunning. */
export function secretsOf(change: Change, id: string): SubscriptionSecrets {
  const secrets = change.get("secrets", id);
  if (secrets === undefined) throw new Error(`The subscription ${id} has no card`);
  return secrets;
}

/**
 * Creates the subscription of a paid transaction: `subscription.created` (the only event with the transaction's id) and
 * `subscription.activated`. Returns the transaction, now linked to it.
 */
export function createSubscription(change: Change, transaction: Transaction, card: StoredCard): Transaction {
  const { items, details, customer_id, address_id, billed_at } = transaction;
  const recurring = items.filter(({ price }) => price.billing_cycle !== null);
  const cycle = recurring[0]?.price.billing_cycle;
  if (!cycle || customer_id === null || address_id === null) throw new Error("No recurring price, or no buyer");
  const startedAt = billed_at ?? change.timestamp();
  const period = periodAfter(startedAt, cycle, startedAt);
  const created_at = change.timestamp();
  const products = new Map(details.line_items.map(({ price_id, product }) => [price_id, product]));
  const subscription: Subscription = {
    id: newId("sub", change.at),
    status: "active",
    customer_id,
    address_id,
    business_id: null,
    currency_code: transaction.currency_code,
    created_at,
    updated_at: created_at,
    started_at: startedAt,
    first_billed_at: startedAt,
    next_billed_at: period.ends_at,
    paused_at: null,
    canceled_at: null,
    discount: null,
    collection_mode: "automatic",
    billing_details: null,
    current_billing_period: period,
    billing_cycle: cycle,
    scheduled_change: null,
    items: recurring.flatMap(({ price, quantity }) => {
      const product = products.get(price.id);
      return product === undefined ? [] : [newItem({ price, product, quantity }, created_at, period)];
    }),
    custom_data: transaction.custom_data,
    import_meta: null,
  };
  change.put("subscriptions", subscription);
  change.emit("subscription.created", { ...subscription, transaction_id: transaction.id });
  change.save("subscriptions", subscription, "subscription.activated");
  change.put("secrets", { id: subscription.id, card, dunning: null });
  return { ...transaction, subscription_id: subscription.id, billing_period: period };
}

/** `next_billed_at` is null once the subscription has ended. */
export type SubscriptionItem = Omit<ReturnType<typeof newItem>, "next_billed_at"> & { next_billed_at: string | null };

export function newItem({ price, product, quantity }: Line, at: string, period: Period) {
  return {
    status: "active",
    quantity,
    recurring: true,
    created_at: at,
    updated_at: at,
    previously_billed_at: period.starts_at,
    next_billed_at: period.ends_at,
    trial_dates: null,
    price,
    product,
  };
}

/** Ends or pauses a subscription now: `subscription.canceled` or `subscription.paused`. */
export function endSubscription(
  change: Change,
  subscription: Subscription,
  status: "canceled" | "paused",
): Subscription {
  const at = change.timestamp();
  change.put("secrets", { ...secretsOf(change, subscription.id), dunning: null });
  const ended: Subscription = {
    ...subscription,
    status,
    canceled_at: status === "canceled" ? at : null,
    paused_at: status === "paused" ? at : null,
    next_billed_at: null,
    current_billing_period: null,
    scheduled_change: null,
    items: subscription.items.map((item) => ({ ...item, next_billed_at: null })),
  };
  return change.save("subscriptions", ended, `subscription.${status}`);
}

/** Cancels now, or at the end of the period. @throws ApiError if it is canceled, or already will be. */
export function cancelSubscription(paddle: Paddle, subscription: Subscription, isNow: boolean): Subscription {
  const endsAt = ensureNotCanceled(subscription).current_billing_period?.ends_at;
  return commit(paddle, (change) => {
    if (isNow || endsAt === undefined) return endSubscription(change, subscription, "canceled");
    if (subscription.scheduled_change !== null) throw new ApiError("subscription_locked_pending_changes");
    const scheduled_change = { action: "cancel", effective_at: endsAt, resume_at: null } as const;
    return change.save("subscriptions", { ...subscription, scheduled_change }, "subscription.updated");
  });
}

/** A transaction of a subscription with these lines. */
export function billSubscription(
  paddle: Paddle,
  change: Change,
  { id, customer_id, address_id, currency_code, custom_data }: Subscription,
  bill: { lines: Line[]; origin: Transaction["origin"]; billingPeriod: Period | null; credit?: number },
): Transaction {
  return createTransaction(paddle, change, {
    customerId: customer_id,
    addressId: address_id,
    currency: currency_code,
    customData: custom_data,
    subscriptionId: id,
    ...bill,
  });
}

/** The items of a subscription for a whole period. */
export function recurringLines({ items }: Subscription, period: Period): Line[] {
  const proration = { rate: "1", billing_period: period };
  return items.map(({ price, product, quantity }) => ({ price, product, quantity, proration }));
}

/** The transaction to change the card: the one that is past due, or else a new zero-amount one. */
export function paymentMethodTransaction(paddle: Paddle, subscription: Subscription): Transaction {
  const pastDue = pastDueOf(paddle, subscription);
  if (pastDue !== undefined) return pastDue;
  const share = { days: 0, of: 1 };
  return commit(paddle, (change) =>
    billSubscription(paddle, change, subscription, {
      lines: subscription.items.map(({ price, product, quantity }) => ({ price, product, quantity, share })),
      origin: "subscription_payment_method_change",
      billingPeriod: subscription.current_billing_period,
    }),
  );
}

/** The transaction of a subscription that could not be charged. */
export function pastDueOf({ store: { state } }: Paddle, { id }: Subscription): Transaction | undefined {
  return state.transactions.get(state.secrets.get(id)?.dunning?.transactionId ?? "");
}
