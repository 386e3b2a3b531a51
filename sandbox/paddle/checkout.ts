import { type Card, judge, toStoredCard } from "./cards.ts";
import { salePrice } from "./catalogue.ts";
import { createAddress, createCustomer, customerByEmail, findCustomer } from "./customers.ts";
import type { CustomData, Transaction } from "./model.ts";
import type { Challenge, StoredCard } from "./records.ts";
import { entityNotFound, invalidField, refused } from "./refusals.ts";
import type { Paddle } from "./respond.ts";
import { type Edit, edit } from "./state.ts";
import { createSubscription, settlePastDue } from "./subscription-billing.ts";
import type { Line } from "./totals.ts";
import { createTransaction, findTransaction, markCompleted, markDeclined, markPaid, priced } from "./transactions.ts";

/** What a checkout is opened with: items, or a transaction that exists. */
export interface CheckoutOrder {
  items?: { priceId: string; quantity: number }[];
  transactionId?: string;
  customer?: { email: string } | { id: string };
  address?: { countryCode: string; postalCode?: string };
  customData?: CustomData;
}

/** Who buys, and where. */
interface Buyer {
  email: string;
  countryCode?: string;
  postalCode?: string;
}

/**
 * Opens a checkout: a transaction that is `ready` once its buyer is known, else a `draft`.
 * @throws RefusedError for items that cannot be sold, and for a transaction that cannot be paid any more.
 */
export function startCheckout(paddle: Paddle, order: CheckoutOrder): Transaction {
  const { transactionId, items = [], customer, address } = order;
  const email = customer === undefined ? undefined : emailOf(paddle, customer);
  const buyer: Buyer | undefined = email === undefined ? undefined : { email, ...address };
  if (transactionId !== undefined) {
    const transaction = payable(findTransaction(paddle, transactionId));
    return buyer === undefined || transaction.customer_id !== null
      ? transaction
      : identifyBuyer(paddle, transactionId, buyer);
  }
  if (items.length === 0) throw invalidField("items", "a checkout needs items or a transaction");
  const lines = items.map(({ priceId, quantity }) => toLine(paddle, priceId, quantity));
  return edit(paddle, (one) => {
    const ids = buyer === undefined ? { customerId: null, addressId: null } : buyerIds(paddle, one, buyer);
    return createTransaction(paddle, one, { lines, origin: "web", customData: order.customData ?? null, ...ids });
  });
}

/** Tells a transaction its buyer: it becomes `ready`, in the currency of the buyer's country. */
export function identifyBuyer(paddle: Paddle, transactionId: string, buyer: Buyer): Transaction {
  const transaction = payable(findTransaction(paddle, transactionId));
  const lines = transaction.items.map(({ price, quantity }) => toLine(paddle, price.id, quantity));
  return edit(paddle, (one) => {
    const { customerId, addressId } = buyerIds(paddle, one, buyer);
    const known = { customer_id: customerId, address_id: addressId };
    const next = { ...transaction, ...known, ...priced(paddle, one, { lines, addressId }) };
    const updated = one.save("transactions", next, "transaction.updated");
    if (updated.status !== "draft") return updated;
    return one.save("transactions", { ...updated, status: "ready" }, "transaction.ready");
  });
}

/** @throws RefusedError for an archived or unknown price, and for a quantity that it does not allow. */
export function toLine(paddle: Paddle, priceId: string, quantity: number): Line {
  const { price, product } = salePrice(paddle, priceId);
  const { minimum, maximum } = price.quantity;
  if (quantity < minimum || quantity > maximum) {
    throw refused(
      "transaction_item_quantity_out_of_range",
      `quantity must be ${minimum} to ${maximum}`,
      "transactions",
    );
  }
  // What begins with a trial costs nothing until the trial is over.
  return { price, product, quantity, ...(price.trial_period !== null && { share: { days: 0, of: 1 } }) };
}

/** @throws RefusedError for a transaction that is paid, completed or canceled. */
export function payable(transaction: Transaction): Transaction {
  if (["draft", "ready", "billed", "past_due"].includes(transaction.status)) return transaction;
  throw refused("transaction_immutable", `transaction is ${transaction.status} and cannot be changed`, "transactions");
}

function emailOf(paddle: Paddle, customer: { email: string } | { id: string }): string {
  return "email" in customer ? customer.email : findCustomer(paddle, customer.id).email;
}

/** The customer and address of a buyer, made when they are new. */
function buyerIds(paddle: Paddle, one: Edit, { email, countryCode, postalCode }: Buyer) {
  const customer = customerByEmail(paddle, email) ?? createCustomer(paddle, one, { email });
  const country = countryCode ?? paddle.settings.country;
  const postal = postalCode ?? null;
  const known = [...paddle.store.state.addresses.values()].find(
    (address) =>
      address.customer_id === customer.id && address.country_code === country && address.postal_code === postal,
  );
  const address = known ?? createAddress(one, customer.id, { country_code: country, postal_code: postal });
  return { customerId: customer.id, addressId: address.id };
}

/**
 * Puts other items into a checkout that is open; buyer and transaction stay.
 * @throws RefusedError for items that cannot be sold, and for a transaction that cannot be paid any more.
 */
export function changeItems(paddle: Paddle, transactionId: string, items: CheckoutOrder["items"] = []): Transaction {
  const transaction = payable(findTransaction(paddle, transactionId));
  if (items.length === 0) throw invalidField("items", "a checkout needs items");
  const lines = items.map(({ priceId, quantity }) => toLine(paddle, priceId, quantity));
  return edit(paddle, (one) => {
    const next = {
      ...transaction,
      items: lines.map(({ price, quantity }) => ({ price, quantity, proration: null })),
      ...priced(paddle, one, { lines, addressId: transaction.address_id }),
    };
    return one.save("transactions", next, "transaction.updated");
  });
}

export type { Card } from "./cards.ts";

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
