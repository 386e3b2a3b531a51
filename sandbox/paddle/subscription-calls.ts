import type { Context, Hono } from "hono";
import { createApp, originOf, type StandInEnv } from "../kit/serve.ts";
import { renewalDecline } from "./cards.ts";
import { saleLine } from "./catalog.ts";
import { portalLinks } from "./customers.ts";
import { ApiError, notSupported, readRequest, respond } from "./http.ts";
import type { Details, Period, Subscription } from "./model.ts";
import { daysLeft, periodAfter } from "./periods.ts";
import { resumeSubscription } from "./renewals.ts";
import { type Change, commit, dryRun, type Paddle } from "./state.ts";
import {
  billSubscription,
  cancelSubscription,
  ensureNotCanceled,
  findSubscription,
  newItem,
  paymentMethodTransaction,
  recurringLines,
  type SubscriptionItem,
  secretsOf,
} from "./subscriptions.ts";
import { type Line, lineAmount } from "./totals.ts";
import { markCompleted, markPaid, priced } from "./transactions.ts";

const PATH = "/subscriptions/{subscription_id}";

type Effective = { effective_from?: string | null };

/** Subscriptions: get, update, preview, cancel, resume, and the transaction to change the card. */
export function subscriptionsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  const requested = (c: Context<StandInEnv>) => findSubscription(paddle, c.req.param("id"));
  const show = (c: Context<StandInEnv>, subscription: Subscription) => respond(c, toWire(paddle, c, subscription));
  app.get("/subscriptions/:id", async (c) => {
    await readRequest(paddle, c, PATH);
    return show(c, requested(c));
  });
  app.patch("/subscriptions/:id", async (c) => {
    const update = await readRequest<SubscriptionUpdate>(paddle, c, PATH, UPDATE_FIELDS);
    return show(c, updateSubscription(paddle, requested(c), update));
  });
  app.patch("/subscriptions/:id/preview", async (c) => {
    const update = await readRequest<SubscriptionUpdate>(paddle, c, `${PATH}/preview`, UPDATE_FIELDS);
    const { id: _, ...before } = toWire(paddle, c, requested(c));
    return respond(c, { ...before, ...previewUpdate(paddle, requested(c), update) });
  });
  app.get("/subscriptions/:id/update-payment-method-transaction", async (c) => {
    await readRequest(paddle, c, `${PATH}/update-payment-method-transaction`);
    return respond(c, paymentMethodTransaction(paddle, ensureNotCanceled(requested(c))));
  });
  app.post("/subscriptions/:id/cancel", async (c) => {
    const { effective_from } = await readRequest<Effective>(paddle, c, `${PATH}/cancel`, ["effective_from"]);
    return show(c, cancelSubscription(paddle, requested(c), effective_from === "immediately"));
  });
  app.post("/subscriptions/:id/resume", async (c) => {
    const { effective_from } = await readRequest<Effective>(paddle, c, `${PATH}/resume`, ["effective_from"]);
    if (effective_from !== "immediately") throw notSupported("A scheduled resumption");
    return show(c, resumeSubscription(paddle, requested(c)));
  });
  return app;
}

/** A subscription as the API returns it: with temporary links, which webhooks never contain. */
function toWire(paddle: Paddle, c: Context<StandInEnv>, subscription: Subscription) {
  const { of } = portalLinks(paddle, originOf(c), subscription.customer_id);
  const { cancel_subscription, update_subscription_payment_method } = of(subscription.id);
  const management_urls = { cancel: cancel_subscription, update_payment_method: update_subscription_payment_method };
  return { ...subscription, management_urls };
}

/** The body of `PATCH /subscriptions/:id`, as far as supported. */
interface SubscriptionUpdate {
  items?: { price_id?: string; quantity?: number }[];
  proration_billing_mode?: string;
  on_payment_failure?: string;
  scheduled_change?: null;
}

const UPDATE_FIELDS = ["items", "proration_billing_mode", "on_payment_failure", "scheduled_change"];

interface ChangePlan {
  items: SubscriptionItem[];
  /** Charges for the remaining days; empty if the change is free now. */
  charges: Line[];
  /** What was paid for those days before, in the smallest unit. */
  credit: number;
  isBilled: boolean;
  period: Period;
}

const LOCK_MS = 30 * 60 * 1000;

/** @throws ApiError if the subscription can't be changed in this way now. */
function assertUpdatable({ settings, clock }: Paddle, subscription: Subscription, update: SubscriptionUpdate): void {
  const { status, scheduled_change, next_billed_at } = subscription;
  if (status === "canceled") throw new ApiError("subscription_update_when_canceled");
  if (update.items === undefined) return;
  if (status === "past_due") throw new ApiError("subscription_update_when_past_due");
  if (scheduled_change !== null && update.scheduled_change !== null) {
    throw new ApiError("subscription_locked_pending_changes");
  }
  const isLocked = next_billed_at !== null && Date.parse(next_billed_at) - clock.now().getTime() <= LOCK_MS;
  if (settings.values.renewalLock && isLocked) throw new ApiError("subscription_locked_renewal");
}

/**
 * Computes a change to another price, charged for the remaining days, today included, less what was paid for them.
 * @throws ApiError for a price that is not for sale, and 501 for an unsupported change.
 */
function planChange(
  paddle: Paddle,
  change: Change,
  subscription: Subscription,
  { items = [], proration_billing_mode: mode, on_payment_failure = "prevent_change" }: SubscriptionUpdate,
): ChangePlan {
  const period = subscription.current_billing_period;
  if (period === null) throw new ApiError("subscription_is_inactive_action_invalid");
  if (mode === undefined) throw new ApiError("subscription_items_update_missing_proration_billing_mode");
  const isBilled = mode === "prorated_immediately";
  if (!isBilled && mode !== "do_not_bill") throw notSupported(`proration_billing_mode ${mode}`);
  if (on_payment_failure !== "prevent_change") throw notSupported(`on_payment_failure ${on_payment_failure}`);
  const [requested, ...others] = items;
  if (requested?.price_id === undefined || others.length > 0)
    throw notSupported("A subscription to anything but one price");
  const line = saleLine(paddle, requested.price_id, requested.quantity ?? 1);
  if (JSON.stringify(line.price.billing_cycle) !== JSON.stringify(subscription.billing_cycle)) {
    throw notSupported("A change to a price with another billing cycle");
  }
  const isSame = subscription.items.every(
    ({ price, quantity }) => price.id === line.price.id && quantity === line.quantity,
  );
  if (isSame) return { items: subscription.items, charges: [], credit: 0, isBilled: false, period };
  const at = change.timestamp();
  const share = daysLeft(period, change.at);
  const left = { starts_at: at, ends_at: period.ends_at };
  const proration = { rate: String(share.days / share.of), billing_period: left };
  const before = subscription.items.map((item) => lineAmount({ ...item, share }, subscription.currency_code));
  return {
    items: [newItem(line, at, left)],
    charges: isBilled ? [{ ...line, share, proration }] : [],
    credit: isBilled ? before.reduce((all, amount) => all + amount, 0) : 0,
    isBilled,
    period: left,
  };
}

/** Keeps a subscription, or changes its price. @throws ApiError if that can't be done now, or isn't paid. */
function updateSubscription(paddle: Paddle, before: Subscription, update: SubscriptionUpdate): Subscription {
  assertUpdatable(paddle, before, update);
  const subscription = update.scheduled_change === null ? { ...before, scheduled_change: null } : before;
  return commit(paddle, (change) => {
    if (update.items === undefined) return change.save("subscriptions", subscription, "subscription.updated");
    const plan = planChange(paddle, change, subscription, update);
    if (plan.isBilled) bill(paddle, change, subscription, plan);
    return change.save("subscriptions", { ...subscription, items: plan.items }, "subscription.updated");
  });
}

function bill(
  paddle: Paddle,
  change: Change,
  subscription: Subscription,
  { charges, credit, period }: ChangePlan,
): void {
  const { card } = secretsOf(change, subscription.id);
  const order = { lines: charges, origin: "subscription_update", billingPeriod: period, credit } as const;
  const transaction = billSubscription(paddle, change, subscription, order);
  const { grand_total, credit: used } = transaction.details.totals;
  if (Number(used) < credit) throw notSupported("A change that leaves credit");
  const isFree = grand_total === "0";
  if (!isFree && renewalDecline(card, change.at) !== undefined) throw new ApiError("subscription_payment_declined");
  markCompleted(change, markPaid(change, transaction, isFree ? null : card));
}

/** What a change would do and cost. Stores nothing. */
function previewUpdate(paddle: Paddle, subscription: Subscription, update: SubscriptionUpdate) {
  assertUpdatable(paddle, subscription, update);
  return dryRun(paddle, (change) => {
    const plan = planChange(paddle, change, subscription, update);
    const {
      currency_code: currency,
      address_id: addressId,
      next_billed_at,
      first_billed_at,
      billing_cycle,
    } = subscription;
    const detailsOf = (lines: Line[], credit = 0) =>
      previewDetails(priced(paddle, change, { lines, currency, addressId, credit }).details);
    const recurring = detailsOf(recurringLines({ ...subscription, items: plan.items }, plan.period));
    const nextPeriod = next_billed_at === null ? null : periodAfter(first_billed_at, billing_cycle, next_billed_at);
    const immediate = { billing_period: plan.period, details: detailsOf(plan.charges, plan.credit), adjustments: [] };
    return {
      items: plan.items,
      next_transaction: nextPeriod && { billing_period: nextPeriod, details: recurring, adjustments: [] },
      recurring_transaction_details: recurring,
      immediate_transaction: plan.isBilled ? immediate : null,
      update_summary: null,
    };
  });
}

/** A preview contains no line ids, adjusted totals or payout totals. */
function previewDetails({ tax_rates_used, totals, line_items }: Details) {
  return { tax_rates_used, totals, line_items: line_items.map(({ id: _, ...line }) => line) };
}
