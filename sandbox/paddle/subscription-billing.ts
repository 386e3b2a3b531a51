import { paysNow } from "./cards.ts";
import { findPrice, findProduct } from "./catalogue.ts";
import {
  newId,
  type Period,
  type ScheduledChange,
  type Subscription,
  type SubscriptionItem,
  type Transaction,
} from "./model.ts";
import type { PostponedLine, StoredCard, SubscriptionSecrets } from "./records.ts";
import { entityNotFound, REFUSALS, RefusedError } from "./refusals.ts";
import type { Paddle } from "./respond.ts";
import { type Edit, edit } from "./state.ts";
import { addCycles, addDays, isoMicros, microsOf, periodAfter } from "./time.ts";
import { creditOf, type Line, lineAmount, putCredit } from "./totals.ts";
import { countryOf, createTransaction, markCompleted, markDeclined, markPaid } from "./transactions.ts";

/** @throws RefusedError 404. */
export function findSubscription({ store }: Paddle, id = ""): Subscription {
  const subscription = store.state.subscriptions.get(id);
  if (subscription === undefined) throw entityNotFound("subscription", id);
  return subscription;
}

/** What nobody is shown. */
export function secretsOf(one: Edit, id: string): SubscriptionSecrets {
  return one.get("secrets", id) ?? { id, card: null, postponed: [], dunning: null };
}

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

/**
 * Bills the next period: a transaction of origin `subscription_recurring`, paid with the kept card and told of before
 * `subscription.updated`. What was postponed is billed with it, credit is used first. A declined card begins dunning.
 */
export function renewSubscription(paddle: Paddle, one: Edit, subscription: Subscription): void {
  const ended = subscription.current_billing_period?.ends_at ?? subscription.next_billed_at;
  if (ended === null) return;
  const anchor = subscription.first_billed_at ?? ended;
  const period = periodAfter(anchor, subscription.billing_cycle, ended);
  const secrets = secretsOf(one, subscription.id);
  const transaction = bill(paddle, one, subscription, period, secrets);
  const renewed = inPeriod(subscription, period, one);
  const due = transaction.details.totals.grand_total;
  const refusal = due === "0" ? undefined : refusalOf(secrets, one.at);
  if (refusal !== undefined && secrets.card !== null) {
    beginDunning(paddle, one, renewed, markDeclined(one, transaction, secrets.card, refusal));
    return;
  }
  markCompleted(one, markPaid(one, transaction, due === "0" ? null : secrets.card));
  const told = subscription.status === "trialing" ? ["subscription.activated"] : [];
  one.save("subscriptions", renewed, "subscription.updated", ...told);
}

/** A subscription in its next period; a trial ends with it. */
function inPeriod(subscription: Subscription, period: Period, one: Edit): Subscription {
  const updated_at = one.stamp();
  const dates = { previously_billed_at: period.starts_at, next_billed_at: period.ends_at, updated_at };
  return {
    ...subscription,
    status: "active",
    first_billed_at: subscription.first_billed_at ?? period.starts_at,
    current_billing_period: period,
    next_billed_at: period.ends_at,
    items: subscription.items.map((item) => ({ ...item, ...dates, status: "active", trial_dates: null })),
  };
}

/** Lines of the items of a subscription for a whole period. */
export function recurringLines({ items }: Subscription, period: Period): Line[] {
  return items.map(({ price, product, quantity }) => ({
    price,
    product,
    quantity,
    proration: { rate: "1", billing_period: period },
  }));
}

function bill(paddle: Paddle, one: Edit, subscription: Subscription, period: Period, secrets: SubscriptionSecrets) {
  const { customer_id, address_id, currency_code } = subscription;
  const terms = { currency: currency_code, country: countryOf(paddle, one, address_id), taxPercent: 0, at: one.at };
  const postponed = secrets.postponed.map((line) => ({ line: toLine(paddle, line), sign: line.sign }));
  const charged = postponed.filter(({ sign }) => sign === 1).map(({ line }) => line);
  const given = postponed.filter(({ sign }) => sign === -1).map(({ line }) => lineAmount(line, terms));
  const credit = creditOf(paddle, customer_id, currency_code) + given.reduce((all, amount) => all + amount, 0);
  const transaction = createTransaction(paddle, one, {
    lines: [...recurringLines(subscription, period), ...charged],
    origin: "subscription_recurring",
    customerId: customer_id,
    addressId: address_id,
    currency: currency_code,
    customData: subscription.custom_data,
    subscriptionId: subscription.id,
    billingPeriod: period,
    credit,
  });
  one.put("secrets", { ...secrets, postponed: [] });
  putCredit(one, customer_id, currency_code, credit - Number(transaction.details.totals.credit));
  return transaction;
}

function refusalOf({ card }: SubscriptionSecrets, at: Date): string | undefined {
  return card === null ? "redacted_payment_method" : paysNow(card, at)?.errorCode;
}

function toLine(paddle: Paddle, { priceId, quantity, share, period }: PostponedLine): Line {
  const price = findPrice(paddle, priceId);
  const proration = { rate: String(share.days / share.of), billing_period: period };
  return { price, product: findProduct(paddle, price.product_id), quantity, share, proration };
}

/** When a change takes effect. */
export type EffectiveFrom = "next_billing_period" | "immediately";

/**
 * Cancels now, or plans it for the end of the period. A paused one ends at once.
 * @throws RefusedError when it is canceled already, or a change is planned already.
 */
export function cancelSubscription(paddle: Paddle, id: string, from: EffectiveFrom): Subscription {
  const subscription = changeable(findSubscription(paddle, id));
  const endsAt = subscription.current_billing_period?.ends_at;
  return edit(paddle, (one) => {
    if (from === "immediately" || endsAt === undefined) return endSubscription(one, subscription, "canceled");
    if (subscription.scheduled_change !== null) throw new RefusedError(REFUSALS.pendingChanges);
    const scheduled_change = { action: "cancel", effective_at: endsAt, resume_at: null } as const;
    return one.save("subscriptions", { ...subscription, scheduled_change }, "subscription.updated");
  });
}

/** Takes back what was planned. @throws RefusedError for a canceled one. */
export function dropScheduledChange(paddle: Paddle, id: string): Subscription {
  const subscription = changeable(findSubscription(paddle, id));
  if (subscription.scheduled_change === null) return subscription;
  return edit(paddle, (one) =>
    one.save("subscriptions", { ...subscription, scheduled_change: null }, "subscription.updated"),
  );
}

/** @throws RefusedError for a canceled one: that is final. */
export function changeable(subscription: Subscription): Subscription {
  if (subscription.status === "canceled") throw new RefusedError(REFUSALS.subscriptionCanceled);
  return subscription;
}

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
