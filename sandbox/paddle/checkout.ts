import { randomUUID } from "node:crypto";
import { asksBank, type Card, firstRefusal, type StoredCard, toStoredCard } from "./cards.ts";
import { saleLine } from "./catalogue.ts";
import { type Buyer, buyerIds } from "./customers.ts";
import { entityNotFound, found, invalidField, RefusedError } from "./http.ts";
import type { CustomData, Transaction } from "./model.ts";
import { settlePastDue } from "./renewals.ts";
import { type Change, commit, type Paddle } from "./state.ts";
import { changeable, createSubscription, findSubscription, paymentMethodTransaction } from "./subscriptions.ts";
import {
  createTransaction,
  markCompleted,
  markDeclined,
  markPaid,
  markReady,
  payable,
  priced,
} from "./transactions.ts";

/** What a checkout is opened with: items, or a transaction that exists. */
export interface CheckoutOrder {
  items?: { priceId: string; quantity: number }[];
  transactionId?: string;
  buyer?: Buyer;
  customData: CustomData;
}

/**
 * Opens a checkout: a transaction that is `ready` once its buyer is known, else a `draft`.
 * @throws RefusedError for items that cannot be sold, and for a transaction that cannot be paid any more.
 */
export function startCheckout(
  paddle: Paddle,
  { transactionId, items = [], buyer, customData }: CheckoutOrder,
): Transaction {
  if (transactionId !== undefined) {
    const transaction = payable(found(paddle.store.state.transactions, "transaction", transactionId));
    const isKnown = buyer === undefined || transaction.customer_id !== null;
    return isKnown ? transaction : identifyBuyer(paddle, transactionId, buyer);
  }
  if (items.length === 0) throw invalidField("items", "a checkout needs items or a transaction");
  const lines = items.map(({ priceId, quantity }) => saleLine(paddle, priceId, quantity));
  return commit(paddle, (change) => {
    const ids = buyer === undefined ? { customerId: null, addressId: null } : buyerIds(paddle, change, buyer);
    return createTransaction(paddle, change, { lines, origin: "web", customData, ...ids });
  });
}

/** Gives a transaction its buyer: it becomes `ready`, in the currency of the buyer's country. */
export function identifyBuyer(paddle: Paddle, transactionId: string, buyer: Buyer): Transaction {
  const transaction = payable(found(paddle.store.state.transactions, "transaction", transactionId));
  const lines = transaction.items.map(({ price, quantity }) => saleLine(paddle, price.id, quantity));
  return commit(paddle, (change) => {
    const { customerId, addressId } = buyerIds(paddle, change, buyer);
    const known = { customer_id: customerId, address_id: addressId };
    const next = { ...transaction, ...known, ...priced(paddle, change, { lines, addressId }) };
    return markReady(change, change.save("transactions", next, "transaction.updated"));
  });
}

/** How a payment ended, or that the buyer's bank has a question. */
export type PayOutcome =
  | { outcome: "completed"; transaction: Transaction }
  | { outcome: "declined"; transaction: Transaction; errorCode: string }
  | { outcome: "challenge"; attemptId: string };

/**
 * Pays a transaction by card. A declined one can be paid again with another card.
 * @throws RefusedError for a transaction without a buyer, and for one that cannot be paid any more.
 */
export function pay(paddle: Paddle, transactionId: string, card: Card): PayOutcome {
  const transaction = payable(found(paddle.store.state.transactions, "transaction", transactionId));
  if (transaction.status === "draft") throw new RefusedError("transaction_not_ready");
  return commit(paddle, (change): PayOutcome => {
    const stored = toStoredCard(card, change.at);
    const refusal = firstRefusal(card, change.at);
    if (refusal !== undefined) return decline(change, transaction, stored, refusal);
    if (!asksBank(card)) return { outcome: "completed", transaction: settle(change, transaction, stored) };
    const attemptId = randomUUID();
    change.put("challenges", { id: attemptId, transactionId, card: stored, isOver: false });
    return { outcome: "challenge", attemptId };
  });
}

/** The buyer's answer to their bank. @throws RefusedError 404 for an attempt that is over. */
export function answerChallenge(paddle: Paddle, attemptId: string, isAccepted: boolean): PayOutcome {
  const { challenges, transactions } = paddle.store.state;
  const challenge = challenges.get(attemptId);
  if (challenge === undefined || challenge.isOver) throw entityNotFound("payment attempt", attemptId);
  const transaction = payable(found(transactions, "transaction", challenge.transactionId));
  return commit(paddle, (change) => {
    change.put("challenges", { ...challenge, isOver: true });
    if (!isAccepted) return decline(change, transaction, challenge.card, "authentication_failed");
    return { outcome: "completed", transaction: settle(change, transaction, challenge.card) };
  });
}

/**
 * Gives a subscription another card: with it what is past due is paid, else a transaction over nothing.
 * @throws RefusedError for a canceled one.
 */
export function changePaymentMethod(paddle: Paddle, subscriptionId: string, card: Card): PayOutcome {
  const subscription = changeable(findSubscription(paddle, subscriptionId));
  return pay(paddle, paymentMethodTransaction(paddle, subscription).id, card);
}

function decline(change: Change, transaction: Transaction, card: StoredCard, errorCode: string): PayOutcome {
  return { outcome: "declined", errorCode, transaction: markDeclined(change, transaction, card, errorCode) };
}

/** The money is there: a subscription begins where a price recurs, and a past due one goes on. */
function settle(change: Change, transaction: Transaction, card: StoredCard): Transaction {
  const paid = markPaid(change, transaction, card);
  if (transaction.subscription_id !== null) return settlePastDue(change, paid, card);
  const isRecurring = paid.items.some(({ price }) => price.billing_cycle !== null);
  return markCompleted(change, isRecurring ? createSubscription(change, paid, card) : paid);
}
