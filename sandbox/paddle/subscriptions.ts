import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { type Card, judge, toStoredCard } from "./cards.ts";
import { askBank, type PayOutcome, pay } from "./checkout.ts";
import type { Subscription, Transaction } from "./model.ts";
import { invalidField, REFUSALS, RefusedError } from "./refusals.ts";
import { answer, answerPage, filterBy, type Paddle, readRequest } from "./respond.ts";
import { type Edit, edit } from "./state.ts";
import {
  cancelSubscription,
  changeable,
  type EffectiveFrom,
  findSubscription,
  pauseSubscription,
  planResume,
  resumeSubscription,
  secretsOf,
} from "./subscription-billing.ts";
import {
  previewUpdate,
  type SubscriptionUpdate,
  toWireSubscription,
  updateSubscription,
} from "./subscription-changes.ts";
import { createTransaction, markCompleted, markDeclined } from "./transactions.ts";

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
function paymentMethodTransaction(paddle: Paddle, one: Edit, subscription: Subscription): Transaction {
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

const ONE = "/subscriptions/{subscription_id}";
const FILTERS = ["id", "customer_id", "address_id", "status", "collection_mode"];

/** Subscriptions: list, get, change, preview of a change, cancel, pause, resume, and a transaction for another card. */
export function subscriptionsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/subscriptions", async (c) => {
    const { query } = await readRequest(paddle, c, "/subscriptions");
    const found = filterBy(paddle.store.state.subscriptions.values(), query, FILTERS).filter(isSought(query));
    return answerPage(paddle, c, found, (subscription) => toWireSubscription(paddle, c, subscription));
  });
  app.get("/subscriptions/:id", async (c) => {
    const { path, query } = await readRequest(paddle, c, ONE);
    return answer(c, toWireSubscription(paddle, c, findSubscription(paddle, path.subscription_id), query.include));
  });
  app.patch("/subscriptions/:id", async (c) => {
    const { path, body } = await readRequest<SubscriptionUpdate>(paddle, c, ONE);
    return answer(c, toWireSubscription(paddle, c, updateSubscription(paddle, path.subscription_id ?? "", body)));
  });
  app.patch("/subscriptions/:id/preview", async (c) => {
    const { path, body } = await readRequest<SubscriptionUpdate>(paddle, c, `${ONE}/preview`);
    const subscription = findSubscription(paddle, path.subscription_id);
    return answer(c, previewUpdate(paddle, c, subscription, body));
  });
  app.get("/subscriptions/:id/update-payment-method-transaction", async (c) => {
    const { path } = await readRequest(paddle, c, `${ONE}/update-payment-method-transaction`);
    const subscription = changeable(findSubscription(paddle, path.subscription_id));
    const pastDue = paddle.store.state.secrets.get(subscription.id)?.dunning?.transactionId;
    const known = pastDue === undefined ? undefined : paddle.store.state.transactions.get(pastDue);
    return answer(c, known ?? edit(paddle, (one) => paymentMethodTransaction(paddle, one, subscription)));
  });
  endRoutes(paddle, app);
  return app;
}

function endRoutes(paddle: Paddle, app: Hono<StandInEnv>): void {
  app.post("/subscriptions/:id/cancel", async (c) => {
    const { path, body } = await readRequest<{ effective_from?: EffectiveFrom }>(paddle, c, `${ONE}/cancel`);
    const id = path.subscription_id ?? "";
    const from = body.effective_from ?? "next_billing_period";
    return answer(c, toWireSubscription(paddle, c, cancelSubscription(paddle, id, from)));
  });
  app.post("/subscriptions/:id/pause", async (c) => {
    const { path, body } = await readRequest<{ effective_from?: EffectiveFrom; resume_at?: string | null }>(
      paddle,
      c,
      `${ONE}/pause`,
    );
    const from = body.effective_from ?? "next_billing_period";
    const paused = pauseSubscription(paddle, path.subscription_id ?? "", from, body.resume_at ?? null);
    return answer(c, toWireSubscription(paddle, c, paused));
  });
  app.post("/subscriptions/:id/resume", async (c) => {
    const { path, body } = await readRequest<{ effective_from?: string }>(paddle, c, `${ONE}/resume`);
    return answer(c, toWireSubscription(paddle, c, goOn(paddle, path.subscription_id ?? "", body.effective_from)));
  });
}

function goOn(paddle: Paddle, id: string, from = "immediately"): Subscription {
  if (from === "immediately") return resumeSubscription(paddle, id);
  if (Number.isNaN(Date.parse(from))) throw invalidField("effective_from", "must be immediately or a date");
  if (Date.parse(from) <= paddle.clock.now().getTime()) throw new RefusedError(REFUSALS.subscriptionInactive);
  return planResume(paddle, id, from);
}

function isSought(query: Record<string, string>): (subscription: Subscription) => boolean {
  const priceIds = query.price_id?.split(",");
  const actions = query.scheduled_change_action?.split(",");
  return ({ items, scheduled_change }) =>
    (priceIds === undefined || items.some(({ price }) => priceIds.includes(price.id))) &&
    (actions === undefined || (scheduled_change !== null && actions.includes(scheduled_change.action)));
}
