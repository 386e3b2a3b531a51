import type { Edit } from "../edit.ts";
import type { Subscription, SubscriptionItem, Transaction } from "../model.ts";
import { newId } from "../new-id.ts";
import type { StoredCard } from "../records.ts";
import { periodAfter } from "../time.ts";
import type { Line } from "../totals.ts";

/**
 * The subscription that a paid transaction begins, told of as `subscription.created` (with the transaction's id, as
 * nowhere else) and `subscription.activated`, or `.trialing` while its price is tried for nothing. Returns the transaction, which knows it from then on.
 */
export function createSubscription(one: Edit, transaction: Transaction, card: StoredCard): Transaction {
  const { items, customer_id, address_id, billed_at } = transaction;
  const recurring = items.filter(({ price }) => price.billing_cycle !== null);
  const cycle = recurring[0]?.price.billing_cycle;
  if (!cycle || customer_id === null || address_id === null) throw new Error("No recurring price, or no buyer");
  const startedAt = billed_at ?? one.stamp();
  const trial = recurring[0]?.price.trial_period ?? null;
  const period = periodAfter(startedAt, trial ?? cycle, startedAt);
  const created_at = one.stamp();
  const products = new Map(transaction.details.line_items.map(({ price_id, product }) => [price_id, product]));
  const subscription: Subscription = {
    id: newId("sub", one.at),
    status: trial === null ? "active" : "trialing",
    customer_id,
    address_id,
    business_id: null,
    currency_code: transaction.currency_code,
    created_at,
    updated_at: created_at,
    started_at: startedAt,
    first_billed_at: trial === null ? startedAt : null,
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
      const dates = { createdAt: created_at, billedAt: startedAt, nextBilledAt: period.ends_at };
      if (product === undefined) return [];
      const item = toItem({ price, product, quantity }, dates);
      return [trial === null ? item : { ...item, status: "trialing", previously_billed_at: null, trial_dates: period }];
    }),
    custom_data: transaction.custom_data,
    import_meta: null,
  };
  one.put("subscriptions", subscription);
  one.emit("subscription.created", { ...subscription, transaction_id: transaction.id });
  one.save("subscriptions", subscription, trial === null ? "subscription.activated" : "subscription.trialing");
  one.put("secrets", { id: subscription.id, card, postponed: [], dunning: null });
  return { ...transaction, subscription_id: subscription.id, billing_period: period };
}

/** A line as a subscription lists it. */
export function toItem(
  { price, product, quantity }: Line,
  { createdAt, billedAt, nextBilledAt }: { createdAt: string; billedAt: string; nextBilledAt: string | null },
): SubscriptionItem {
  return {
    status: "active",
    quantity,
    recurring: true,
    created_at: createdAt,
    updated_at: createdAt,
    previously_billed_at: billedAt,
    next_billed_at: nextBilledAt,
    trial_dates: null,
    price,
    product,
  };
}
