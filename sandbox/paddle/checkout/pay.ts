import { type Card, judge, toStoredCard } from "../cards.ts";
import type { Paddle } from "../context.ts";
import { type Edit, edit } from "../edit.ts";
import type { Transaction } from "../model.ts";
import type { Challenge, StoredCard } from "../records.ts";
import { entityNotFound, refused } from "../refusals.ts";
import { createSubscription } from "../subscriptions/create-subscription.ts";
import { settlePastDue } from "../subscriptions/dunning.ts";
import { findTransaction, markCompleted, markDeclined, markPaid } from "../transactions.ts";
import { payable } from "./start-checkout.ts";

export type { Card } from "../cards.ts";

/** How a payment ended, or that the buyer's bank has a question. */
export type PayOutcome =
  | { outcome: "completed"; transaction: Transaction }
  | { outcome: "challenge"; attemptId: string }
  | { outcome: "declined"; errorCode: string; transaction: Transaction };

/**
 * Pays a `ready` (or past due) transaction by card. A refused one stays as it is and may be paid with another card.
 * @throws RefusedError for a transaction that has no buyer yet or is settled.
 */
export function pay(paddle: Paddle, transactionId: string, card: Card): PayOutcome {
  const transaction = payable(findTransaction(paddle, transactionId));
  if (transaction.status === "draft") {
    throw refused("transaction_not_ready", "the transaction has no customer and address yet", "transactions");
  }
  return edit(paddle, (one) => {
    const stored = toStoredCard(card, one.at, one.stamp());
    const verdict = judge(card, one.at);
    if (verdict === "challenge") return askBank(one, { transactionId, subscriptionId: null, card: stored });
    if (verdict !== "accepted") {
      const { errorCode } = verdict;
      return { outcome: "declined", errorCode, transaction: markDeclined(one, transaction, stored, errorCode) };
    }
    return { outcome: "completed", transaction: settle(paddle, one, transaction, stored) };
  });
}

/** The buyer's answer to their bank. @throws RefusedError 404 for an attempt that is over. */
export function answerChallenge(paddle: Paddle, attemptId: string, isAccepted: boolean): PayOutcome {
  const challenge = paddle.store.state.challenges.get(attemptId);
  if (challenge === undefined || challenge.isOver) throw entityNotFound("payment attempt", attemptId);
  const transaction = payable(findTransaction(paddle, challenge.transactionId));
  return edit(paddle, (one) => {
    one.put("challenges", { ...challenge, isOver: true });
    if (isAccepted) return { outcome: "completed", transaction: settle(paddle, one, transaction, challenge.card) };
    const errorCode = "authentication_failed";
    return { outcome: "declined", errorCode, transaction: markDeclined(one, transaction, challenge.card, errorCode) };
  });
}

/** Keeps a payment for which the buyer's bank wants to be asked. */
export function askBank(one: Edit, challenge: Omit<Challenge, "id" | "isOver">): PayOutcome {
  const attemptId = crypto.randomUUID();
  one.put("challenges", { ...challenge, id: attemptId, isOver: false });
  return { outcome: "challenge", attemptId };
}

/** The money is there: a subscription begins where a price recurs, and a past due one goes on. */
function settle(paddle: Paddle, one: Edit, transaction: Transaction, card: StoredCard): Transaction {
  const paid = markPaid(one, transaction, card);
  if (transaction.subscription_id !== null) return settlePastDue(one, paid, card);
  const isRecurring = paid.items.some(({ price }) => price.billing_cycle !== null);
  const known = isRecurring ? createSubscription(one, paid, saveCard(one, paid, card)) : paid;
  const { paidReads } = paddle.settings;
  if (paidReads === 0) return markCompleted(one, known);
  paddle.paidReads.set(known.id, paidReads);
  return one.save("transactions", known, "transaction.updated");
}

function saveCard(one: Edit, { customer_id, address_id }: Transaction, card: StoredCard): StoredCard {
  const { id, savedAt } = card;
  const method = { id, customer_id, address_id, type: "card", origin: "saved_during_purchase" };
  one.emit("payment_method.saved", { ...method, saved_at: savedAt, updated_at: savedAt });
  return card;
}
