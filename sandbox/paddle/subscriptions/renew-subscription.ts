import { paysNow } from "../cards.ts";
import { findPrice, findProduct } from "../catalogue-api.ts";
import type { Paddle } from "../context.ts";
import { creditOf, putCredit } from "../credit.ts";
import type { Edit } from "../edit.ts";
import type { Period, Subscription } from "../model.ts";
import type { PostponedLine, SubscriptionSecrets } from "../records.ts";
import { periodAfter } from "../time.ts";
import { type Line, lineAmount } from "../totals.ts";
import { countryOf, createTransaction, markCompleted, markDeclined, markPaid } from "../transactions.ts";
import { beginDunning } from "./dunning.ts";
import { secretsOf } from "./find-subscription.ts";

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
