import type { Context } from "hono";
import type { StandInEnv } from "../kit/serve.ts";
import { paysNow } from "./cards.ts";
import { salePrice } from "./catalogue.ts";
import { managementSession, portalUrls } from "./customers.ts";
import type { CustomData, Period, Subscription, SubscriptionItem, Transaction } from "./model.ts";
import type { PostponedLine } from "./records.ts";
import { invalidField, REFUSALS, RefusedError } from "./refusals.ts";
import { originOf, type Paddle } from "./respond.ts";
import { type Edit, edit, kept } from "./state.ts";
import { beginDunning, findSubscription, recurringLines, secretsOf, toItem } from "./subscription-billing.ts";
import { daysLeft, isoMicros, periodAfter } from "./time.ts";
import { creditOf, type Details, detailsOf, type Line, lineAmount, putCredit } from "./totals.ts";
import { countryOf, createTransaction, markCompleted, markDeclined, markPaid, priced } from "./transactions.ts";

type ProrationMode =
  | "prorated_immediately"
  | "prorated_next_billing_period"
  | "full_immediately"
  | "full_next_billing_period"
  | "do_not_bill";

/** A change of items, worked out. */
interface ChangePlan {
  items: SubscriptionItem[];
  /** What is charged for what is left of the period. */
  charges: Line[];
  /** What was paid for what is no longer wanted, in lowest units. */
  credit: number;
  /** The same for the next renewal. */
  postponed: PostponedLine[];
  billsNow: boolean;
  period: Period;
}

type Wanted = { price_id: string; quantity?: number };

/**
 * Works out a change: the new items for the days that are left, less what was paid for those days before. The running
 * day counts as left.
 * @throws RefusedError for items that cannot be sold, or are paid in another rhythm.
 */
function planChange(
  paddle: Paddle,
  one: Edit,
  subscription: Subscription,
  wanted: Wanted[],
  mode: ProrationMode,
): ChangePlan {
  const period = subscription.current_billing_period;
  if (period === null) throw new RefusedError(REFUSALS.subscriptionInactive);
  const items = newItems(paddle, one, subscription, wanted);
  const share = mode.startsWith("full") ? { days: 1, of: 1 } : daysLeft(period, one.at);
  const added = differences(items, subscription.items);
  const removed = differences(subscription.items, items);
  const rate = String(share.days / share.of);
  const proration = { rate, billing_period: { starts_at: one.stamp(), ends_at: period.ends_at } };
  const toLine = ({ price, product, quantity }: SubscriptionItem): Line => ({
    price,
    product,
    quantity,
    share,
    proration,
  });
  const terms = {
    currency: subscription.currency_code,
    country: countryOf(paddle, one, subscription.address_id),
    taxPercent: 0,
    at: one.at,
  };
  const credit = removed.reduce((all, item) => all + lineAmount(toLine(item), terms), 0);
  const billsNow = mode.endsWith("immediately");
  const isPostponed = mode.endsWith("next_billing_period");
  const postpone =
    (sign: 1 | -1) =>
    (item: SubscriptionItem): PostponedLine => ({
      priceId: item.price.id,
      quantity: item.quantity,
      share,
      period,
      sign,
    });
  return {
    items,
    charges: billsNow ? added.map(toLine) : [],
    credit: billsNow ? credit : 0,
    postponed: isPostponed ? [...added.map(postpone(1)), ...removed.map(postpone(-1))] : [],
    billsNow,
    period,
  };
}

function newItems(paddle: Paddle, one: Edit, subscription: Subscription, wanted: Wanted[]): SubscriptionItem[] {
  const ids = new Set(wanted.map(({ price_id }) => price_id));
  if (ids.size < wanted.length) throw invalidField("items", "must not name a price twice");
  return wanted.map(({ price_id, quantity }) => {
    const known = subscription.items.find(({ price }) => price.id === price_id);
    if (known !== undefined) return { ...known, quantity: quantity ?? known.quantity };
    const { price, product } = salePrice(paddle, price_id);
    if (JSON.stringify(price.billing_cycle) !== JSON.stringify(subscription.billing_cycle)) {
      throw invalidField("items", "all items of a subscription are billed in the same rhythm");
    }
    const at = one.stamp();
    const dates = { createdAt: at, billedAt: at, nextBilledAt: subscription.next_billed_at };
    return toItem({ price, product, quantity: quantity ?? 1 }, dates);
  });
}

/** What `these` hold beyond `those`. */
function differences(these: SubscriptionItem[], those: SubscriptionItem[]): SubscriptionItem[] {
  return these.flatMap((item) => {
    const before = those.find(({ price }) => price.id === item.price.id)?.quantity ?? 0;
    return item.quantity > before ? [{ ...item, quantity: item.quantity - before }] : [];
  });
}

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
function planUpdate(paddle: Paddle, one: Edit, subscription: Subscription, update: SubscriptionUpdate): ChangePlan {
  const wanted = (update.items ?? []).map(({ price_id, quantity }) => {
    if (price_id === undefined) throw invalidField("items", "only prices of the catalogue are played by this stand-in");
    return { price_id, ...(quantity === undefined ? {} : { quantity }) };
  });
  if (update.proration_billing_mode === undefined) throw new RefusedError(REFUSALS.prorationMissing);
  return planChange(paddle, one, subscription, wanted, update.proration_billing_mode);
}

/** @throws RefusedError when the subscription may not be changed in this way now. */
function assertUpdatable({ settings, clock }: Paddle, subscription: Subscription, update: SubscriptionUpdate): void {
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

/** What a change would do and cost. Nothing is kept. */
export function previewUpdate(
  paddle: Paddle,
  c: Context<StandInEnv>,
  subscription: Subscription,
  update: SubscriptionUpdate,
): Record<string, unknown> {
  assertUpdatable(paddle, subscription, update);
  const one = lookingOnly(paddle);
  const { id: _, ...shown } = toWireSubscription(paddle, c, subscription);
  if (update.items === undefined) return { ...shown, ...previews(paddle, subscription), immediate_transaction: null };
  const plan = planUpdate(paddle, one, subscription, update);
  const next = { ...subscription, items: plan.items };
  const { currency_code: currency, customer_id, address_id: addressId } = subscription;
  const credit = plan.credit + creditOf(paddle, customer_id, currency);
  const { details } = priced(paddle, one, { lines: plan.charges, currency, addressId, credit });
  const charge = details.line_items.reduce((all, { totals }) => all + Number(totals.total), 0);
  const { payout_totals: __, adjusted_totals: ___, ...told } = details;
  const billing_period = { starts_at: isoMicros(one.at), ends_at: plan.period.ends_at };
  return {
    ...shown,
    items: plan.items,
    ...previews(paddle, next),
    immediate_transaction: plan.billsNow ? { billing_period, details: told, adjustments: [] } : null,
    update_summary: plan.billsNow ? summary(plan.credit, charge, currency) : null,
  };
}

function previews(paddle: Paddle, subscription: Subscription) {
  return {
    next_transaction: nextTransaction(paddle, subscription),
    recurring_transaction_details: recurringDetails(paddle, subscription),
    update_summary: null,
  };
}

function summary(credit: number, charge: number, currency_code: string) {
  const net = charge - credit;
  const money = (amount: number) => ({ amount: String(amount), currency_code });
  return {
    credit: money(credit),
    charge: money(charge),
    result: { action: net < 0 ? "credit" : "charge", ...money(Math.abs(net)) },
  };
}

/** An edit that keeps nothing. */
function lookingOnly({ store, clock }: Paddle): Edit {
  const at = clock.now();
  return {
    at,
    stamp: () => isoMicros(at),
    get: (kind, id) => kept(store.state, kind, id),
    put: (_kind, entity) => entity,
    save: (_kind, entity) => entity,
    emit: (event_type, data) => ({ event_id: "", event_type, occurred_at: isoMicros(at), data }),
  };
}

/** A subscription as the API shows it: with links that last a while, which webhooks never carry. */
export function toWireSubscription(
  paddle: Paddle,
  c: Context<StandInEnv>,
  subscription: Subscription,
  include = "",
): { id: string } & Record<string, unknown> {
  const wanted = new Set(include.split(","));
  return {
    ...subscription,
    management_urls: managementUrls(paddle, c, subscription),
    ...(wanted.has("next_transaction") && { next_transaction: nextTransaction(paddle, subscription) }),
    ...(wanted.has("recurring_transaction_details") && {
      recurring_transaction_details: recurringDetails(paddle, subscription),
    }),
  };
}

/** The next renewal as far as it is known; null when there is none. */
function nextTransaction(paddle: Paddle, subscription: Subscription): Record<string, unknown> | null {
  const { next_billed_at, first_billed_at, scheduled_change, billing_cycle } = subscription;
  if (next_billed_at === null || scheduled_change !== null) return null;
  const billing_period = periodAfter(first_billed_at ?? next_billed_at, billing_cycle, next_billed_at);
  return { billing_period, details: recurringDetails(paddle, subscription), adjustments: [] };
}

/** What each renewal costs. */
function recurringDetails(paddle: Paddle, subscription: Subscription): Partial<Details> {
  const period = subscription.current_billing_period ?? { starts_at: "", ends_at: "" };
  const { country_code = paddle.settings.country } = paddle.store.state.addresses.get(subscription.address_id) ?? {};
  const {
    adjusted_totals: _,
    payout_totals: __,
    ...details
  } = detailsOf(recurringLines(subscription, period), {
    currency: subscription.currency_code,
    country: country_code,
    taxPercent: paddle.settings.taxPercent,
    at: paddle.clock.now(),
  });
  return details;
}

function managementUrls(paddle: Paddle, c: Context<StandInEnv>, { id, customer_id, collection_mode }: Subscription) {
  const session = managementSession(paddle, customer_id, id);
  const [urls] = portalUrls(originOf(paddle, c), session).subscriptions;
  const isAutomatic = collection_mode === "automatic";
  return {
    update_payment_method: isAutomatic ? (urls?.update_subscription_payment_method ?? null) : null,
    cancel: urls?.cancel_subscription ?? null,
  };
}
