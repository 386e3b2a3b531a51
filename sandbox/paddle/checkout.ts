import { randomUUID } from "node:crypto";
import { type Card, firstDecline, requiresChallenge, type StoredCard, toStoredCard } from "./cards.ts";
import { saleLine } from "./catalog.ts";
import { type Buyer, findOrCreateBuyer } from "./customers.ts";
import { ApiError, entityNotFound, findOrThrow, invalidField } from "./http.ts";
import type { CustomData, Transaction } from "./model.ts";
import { settlePastDue } from "./renewals.ts";
import { type Change, commit, type Paddle } from "./state.ts";
import { createSubscription, ensureNotCanceled, findSubscription, paymentMethodTransaction } from "./subscriptions.ts";
import {
  createTransaction,
  ensurePayable,
  markCompleted,
  markDeclined,
  markPaid,
  markReady,
  priced,
} from "./transactions.ts";

/** What a checkout is opened with: items, or an existing transaction. */
export interface CheckoutInput {
  items?: { priceId: string; quantity: number }[];
  transactionId?: string;
  buyer?: Buyer;
  customData: CustomData;
}

/** Opens a checkout; its transaction is a `draft` without a buyer. @throws ApiError if it can't be sold or paid. */
export function startCheckout(
  paddle: Paddle,
  { transactionId, items = [], buyer, customData }: CheckoutInput,
): Transaction {
  if (transactionId !== undefined) {
    const transaction = ensurePayable(findOrThrow(paddle.store.state.transactions, "transaction", transactionId));
    const isKnown = buyer === undefined || transaction.customer_id !== null;
    return isKnown ? transaction : setBuyer(paddle, transactionId, buyer);
  }
  if (items.length === 0) throw invalidField("items", "a checkout needs items or a transaction");
  const lines = items.map(({ priceId, quantity }) => saleLine(paddle, priceId, quantity));
  return commit(paddle, (change) => {
    const ids = buyer === undefined ? { customerId: null, addressId: null } : findOrCreateBuyer(paddle, change, buyer);
    return createTransaction(paddle, change, { lines, origin: "web", customData, ...ids });
  });
}

/** Sets the buyer of a transaction: it becomes `ready`, in the currency of the buyer's country. */
export function setBuyer(paddle: Paddle, transactionId: string, buyer: Buyer): Transaction {
  const transaction = ensurePayable(findOrThrow(paddle.store.state.transactions, "transaction", transactionId));
  const lines = transaction.items.map(({ price, quantity }) => saleLine(paddle, price.id, quantity));
  return commit(paddle, (change) => {
    const { customerId, addressId } = findOrCreateBuyer(paddle, change, buyer);
    const known = { customer_id: customerId, address_id: addressId };
    const next = { ...transaction, ...known, ...priced(paddle, change, { lines, addressId }) };
    return markReady(change, change.save("transactions", next, "transaction.updated"));
  });
}

/** How a payment ended, or that the buyer's bank asks for confirmation. */
export type PayOutcome =
  | { outcome: "completed"; transaction: Transaction }
  | { outcome: "declined"; transaction: Transaction; errorCode: string }
  | { outcome: "challenge"; attemptId: string };

/** Pays by card; a declined transaction can be paid again. @throws ApiError if it has no buyer or can't be paid. */
export function pay(paddle: Paddle, transactionId: string, card: Card): PayOutcome {
  const transaction = ensurePayable(findOrThrow(paddle.store.state.transactions, "transaction", transactionId));
  if (transaction.status === "draft") throw new ApiError("transaction_not_ready");
  return commit(paddle, (change): PayOutcome => {
    const stored = toStoredCard(card, change.at);
    const refusal = firstDecline(card, change.at);
    if (refusal !== undefined) return decline(change, transaction, stored, refusal);
    if (!requiresChallenge(card)) return { outcome: "completed", transaction: settle(change, transaction, stored) };
    const attemptId = randomUUID();
    change.put("challenges", { id: attemptId, transactionId, card: stored, isOver: false });
    return { outcome: "challenge", attemptId };
  });
}

/** The buyer's answer to the bank. @throws ApiError 404 for an attempt that has ended. */
export function answerChallenge(paddle: Paddle, attemptId: string, isAccepted: boolean): PayOutcome {
  const { challenges, transactions } = paddle.store.state;
  const challenge = challenges.get(attemptId);
  if (challenge === undefined || challenge.isOver) throw entityNotFound("payment attempt", attemptId);
  const transaction = ensurePayable(findOrThrow(transactions, "transaction", challenge.transactionId));
  return commit(paddle, (change) => {
    change.put("challenges", { ...challenge, isOver: true });
    if (!isAccepted) return decline(change, transaction, challenge.card, "authentication_failed");
    return { outcome: "completed", transaction: settle(change, transaction, challenge.card) };
  });
}

/** Changes a card: pays what is past due, or nothing. @throws ApiError for a canceled subscription. */
export function changePaymentMethod(paddle: Paddle, subscriptionId: string, card: Card): PayOutcome {
  const subscription = ensureNotCanceled(findSubscription(paddle, subscriptionId));
  return pay(paddle, paymentMethodTransaction(paddle, subscription).id, card);
}

function decline(change: Change, transaction: Transaction, card: StoredCard, errorCode: string): PayOutcome {
  return { outcome: "declined", errorCode, transaction: markDeclined(change, transaction, card, errorCode) };
}

/** Completes a payment: starts a subscription if a price recurs, or continues a past due one. */
function settle(change: Change, transaction: Transaction, card: StoredCard): Transaction {
  const paid = markPaid(change, transaction, card);
  if (transaction.subscription_id !== null) return settlePastDue(change, paid, card);
  const isRecurring = paid.items.some(({ price }) => price.billing_cycle !== null);
  return markCompleted(change, isRecurring ? createSubscription(change, paid, card) : paid);
}
