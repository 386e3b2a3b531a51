import { createHmac, randomInt, timingSafeEqual } from "node:crypto";
import {
  type CustomData,
  newId,
  type Payment,
  type Period,
  type Transaction,
  type TransactionOrigin,
} from "./model.ts";
import type { StoredCard } from "./records.ts";
import { entityNotFound, refused } from "./refusals.ts";
import type { Paddle } from "./respond.ts";
import { type Edit, edit } from "./state.ts";
import { currencyFor, type Details, detailsOf, type Line, paidDetails } from "./totals.ts";

/** What a transaction is made from. */
interface TransactionOrder {
  lines: Line[];
  origin: TransactionOrigin;
  customerId: string | null;
  addressId: string | null;
  /** By default the currency of the buyer's country. */
  currency?: string | undefined;
  customData: CustomData;
  subscriptionId?: string | null;
  billingPeriod?: Period | null;
  /** Credit that may be used, in lowest units. */
  credit?: number;
}

/** @throws RefusedError 404. */
export function findTransaction({ store }: Paddle, id = ""): Transaction {
  const transaction = store.state.transactions.get(id);
  if (transaction === undefined) throw entityNotFound("transaction", id);
  return transaction;
}

/** Where a buyer is: the address's country, else the setting's. */
export function countryOf(paddle: Paddle, one: Edit, addressId: string | null): string {
  const address = addressId === null ? undefined : one.get("addresses", addressId);
  return address?.country_code ?? paddle.settings.country;
}

/** A new transaction, `ready` when it knows its buyer, told of as `transaction.created`, then `transaction.ready`. */
export function createTransaction(paddle: Paddle, one: Edit, order: TransactionOrder): Transaction {
  const { customerId, addressId } = order;
  const isReady = customerId !== null && addressId !== null;
  const created_at = one.stamp();
  const id = newId("txn", one.at);
  const transaction: Transaction = {
    id,
    status: "draft",
    customer_id: customerId,
    address_id: addressId,
    business_id: null,
    custom_data: order.customData,
    origin: order.origin,
    subscription_id: order.subscriptionId ?? null,
    invoice_id: null,
    invoice_number: null,
    collection_mode: "automatic",
    discount_id: null,
    billing_details: null,
    billing_period: order.billingPeriod ?? null,
    items: order.lines.map(({ price, quantity, proration }) => ({ price, quantity, proration: proration ?? null })),
    ...priced(paddle, one, order),
    payments: [],
    checkout: { url: checkoutUrl(paddle, id) },
    created_at,
    updated_at: created_at,
    billed_at: null,
    revised_at: null,
  };
  const draft = one.save("transactions", transaction, "transaction.created");
  return isReady ? one.save("transactions", { ...draft, status: "ready" }, "transaction.ready") : draft;
}

/** Currency and details for a buyer at this place. */
export function priced(
  paddle: Paddle,
  one: Edit,
  { lines, currency, addressId, credit = 0 }: Pick<TransactionOrder, "lines" | "currency" | "addressId" | "credit">,
): { currency_code: string; details: Details } {
  const country = countryOf(paddle, one, addressId);
  const currency_code =
    currency ??
    currencyFor(
      lines.map(({ price }) => price),
      country,
    );
  const terms = { currency: currency_code, country, taxPercent: paddle.settings.taxPercent, at: one.at, credit };
  return { currency_code, details: detailsOf(lines, terms) };
}

/** A payment by card: captured, or refused with a reason. */
function toPayment(one: Edit, amount: string, card: StoredCard, errorCode: string | null): Payment {
  const at = one.stamp();
  return {
    amount,
    status: errorCode === null ? "captured" : "error",
    error_code: errorCode,
    payment_attempt_id: crypto.randomUUID(),
    payment_method_id: card.id,
    stored_payment_method_id: crypto.randomUUID(),
    method_details: { type: "card", card: card.details },
    created_at: at,
    captured_at: errorCode === null ? at : null,
  };
}

/** The money is there: `transaction.paid`. Without a card there was nothing to pay. */
export function markPaid(one: Edit, transaction: Transaction, card: StoredCard | null): Transaction {
  const due = transaction.details.totals.grand_total;
  const payments = card === null ? [] : [toPayment(one, due, card, null)];
  const paid: Transaction = {
    ...transaction,
    status: "paid",
    payments: [...payments, ...transaction.payments],
    details: paidDetails(transaction.details, false),
    billed_at: transaction.billed_at ?? one.stamp(),
  };
  return one.save("transactions", paid, "transaction.paid");
}

/** A payment was refused: `transaction.payment_failed`; the newest payment stands first. */
export function markDeclined(one: Edit, transaction: Transaction, card: StoredCard, errorCode: string): Transaction {
  const payment = toPayment(one, transaction.details.totals.grand_total, card, errorCode);
  const declined = { ...transaction, payments: [payment, ...transaction.payments] };
  return one.save("transactions", declined, "transaction.payment_failed");
}

/** Everything is settled: the invoice exists, the fee is known, `transaction.completed`. */
export function markCompleted(one: Edit, transaction: Transaction): Transaction {
  const completed: Transaction = {
    ...transaction,
    status: "completed",
    invoice_id: newId("inv", one.at),
    invoice_number: `${randomInt(100, 1_000)}-${randomInt(10_000, 100_000)}`,
    details: paidDetails(transaction.details, true),
  };
  return one.save("transactions", completed, "transaction.completed");
}

function checkoutUrl({ checkoutUrl: page }: Paddle, id: string): string | null {
  return page === undefined ? null : `${page}?_ptxn=${id}`;
}

/** Completes a paid transaction now. @throws RefusedError when it is not `paid`. */
export function completeTransaction(paddle: Paddle, id: string): Transaction {
  const transaction = findTransaction(paddle, id);
  if (transaction.status !== "paid") {
    throw refused("transaction_not_paid", `the transaction is ${transaction.status}`, "transactions");
  }
  paddle.paidReads.delete(id);
  return edit(paddle, (one) => markCompleted(one, transaction));
}

/** A transaction as a reader gets it: so many reads show it `paid` before it is completed. */
export function readTransaction(paddle: Paddle, id: string): Transaction {
  const transaction = findTransaction(paddle, id);
  if (transaction.status !== "paid") return transaction;
  const left = paddle.paidReads.get(id) ?? paddle.settings.paidReads;
  if (left <= 0) return completeTransaction(paddle, id);
  paddle.paidReads.set(id, left - 1);
  return transaction;
}

/** Address of a transaction's invoice. @throws RefusedError when there is none yet. */
export function invoiceUrl(paddle: Paddle, origin: string, { invoice_id: id, status }: Transaction): string {
  if (id === null) throw refused("transaction_invoice_not_available", `the transaction is ${status}`, "transactions");
  return `${origin}/invoices/${id}?token=${tokenFor(paddle, id)}`;
}

/** The transaction of an invoice, for who has its address. */
export function findInvoice(paddle: Paddle, invoiceId: string, token: string): Transaction | undefined {
  const [expected, given] = [Buffer.from(tokenFor(paddle, invoiceId)), Buffer.from(token)];
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
  return [...paddle.store.state.transactions.values()].find(({ invoice_id }) => invoice_id === invoiceId);
}

function tokenFor({ apiKey }: Paddle, invoiceId: string): string {
  return createHmac("sha256", apiKey).update(`invoice:${invoiceId}`).digest("base64url");
}
