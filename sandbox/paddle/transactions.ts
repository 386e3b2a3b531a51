import { randomInt, randomUUID } from "node:crypto";
import type { Context, Hono } from "hono";
import { isSimulating } from "../kit/faults.ts";
import { createApp, originOf, type StandInEnv } from "../kit/serve.ts";
import type { StoredCard } from "./cards.ts";
import { ApiError, findOrThrow, readRequest, respond } from "./http.ts";
import { invoiceUrl } from "./invoices.ts";
import type { CustomData, Details, Period, Transaction } from "./model.ts";
import { type Change, newId, type Paddle } from "./state.ts";
import { completedDetails, currencyOf, detailsOf, type Line, paidDetails } from "./totals.ts";

interface TransactionInput {
  lines: Line[];
  origin: Transaction["origin"];
  customerId: string | null;
  addressId: string | null;
  /** Default: the currency of the buyer's country. */
  currency?: string;
  customData: CustomData;
  subscriptionId?: string;
  billingPeriod?: Period | null;
  credit?: number;
}

/** Creates a transaction that is `ready` if its buyer is known: `transaction.created`, then `transaction.ready`. */
export function createTransaction(paddle: Paddle, change: Change, order: TransactionInput): Transaction {
  const { customerId, addressId } = order;
  const created_at = change.timestamp();
  const id = newId("txn", change.at);
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
    items: order.lines.map(({ price, quantity, proration = null }) => ({ price, quantity, proration })),
    ...priced(paddle, change, order),
    payments: [],
    checkout: { url: paddle.checkoutUrl === undefined ? null : `${paddle.checkoutUrl}?_ptxn=${id}` },
    created_at,
    updated_at: created_at,
    billed_at: null,
    revised_at: null,
  };
  const draft = change.save("transactions", transaction, "transaction.created");
  return customerId === null || addressId === null ? draft : markReady(change, draft);
}

/** Currency and details for an address, or for the configured country if it is unknown. */
export function priced(
  { settings }: Paddle,
  change: Change,
  { lines, currency, addressId, credit = 0 }: Pick<TransactionInput, "lines" | "currency" | "addressId" | "credit">,
): { currency_code: string; details: Details } {
  const address = addressId === null ? undefined : change.get("addresses", addressId);
  const currency_code = currency ?? currencyOf(address?.country_code ?? settings.values.country);
  const terms = { currency: currency_code, taxPercent: settings.values.taxPercent, at: change.at, credit };
  return { currency_code, details: detailsOf(lines, terms) };
}

/** @throws ApiError for a transaction that is paid, completed or canceled. */
export function ensurePayable(transaction: Transaction): Transaction {
  if (["draft", "ready", "past_due"].includes(transaction.status)) return transaction;
  const detail = `transaction is ${transaction.status} and cannot be changed`;
  throw new ApiError("transaction_immutable", detail);
}

export function markReady(change: Change, transaction: Transaction): Transaction {
  return change.save("transactions", { ...transaction, status: "ready" }, "transaction.ready");
}

/** `transaction.paid`. `card` is null if there was nothing to pay. */
export function markPaid(change: Change, transaction: Transaction, card: StoredCard | null): Transaction {
  const paid: Transaction = {
    ...transaction,
    status: "paid",
    payments: [...(card === null ? [] : [newPayment(change, transaction, card, null)]), ...transaction.payments],
    details: paidDetails(transaction.details),
    billed_at: transaction.billed_at ?? change.timestamp(),
  };
  return change.save("transactions", paid, "transaction.paid");
}

/** `transaction.payment_failed`. The newest payment comes first. */
export function markDeclined(
  change: Change,
  transaction: Transaction,
  card: StoredCard,
  errorCode: string,
): Transaction {
  const payments = [newPayment(change, transaction, card, errorCode), ...transaction.payments];
  return change.save("transactions", { ...transaction, payments }, "transaction.payment_failed");
}

/** `transaction.completed`: the invoice exists, the fee is known. */
export function markCompleted(change: Change, transaction: Transaction): Transaction {
  const completed: Transaction = {
    ...transaction,
    status: "completed",
    invoice_id: newId("inv", change.at),
    invoice_number: `${randomInt(100, 1_000)}-${randomInt(10_000, 100_000)}`,
    details: completedDetails(transaction.details),
  };
  return change.save("transactions", completed, "transaction.completed");
}

export type Payment = ReturnType<typeof newPayment>;

function newPayment(change: Change, { details }: Transaction, card: StoredCard, errorCode: string | null) {
  const at = change.timestamp();
  return {
    amount: details.totals.grand_total,
    status: errorCode === null ? "captured" : "error",
    error_code: errorCode,
    payment_attempt_id: randomUUID(),
    payment_method_id: card.id,
    stored_payment_method_id: randomUUID(),
    method_details: { type: "card", card: card.details },
    created_at: at,
    captured_at: errorCode === null ? at : null,
  };
}

/** `GET /transactions/:id`, `GET /transactions/:id/invoice`. */
export function transactionsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/transactions/:id", async (c) => {
    await readRequest(paddle, c, "/transactions/{transaction_id}");
    return respond(c, withFault(c, findOrThrow(paddle.store.state.transactions, "transaction", c.req.param("id"))));
  });
  app.get("/transactions/:id/invoice", async (c) => {
    await readRequest(paddle, c, "/transactions/{transaction_id}/invoice");
    const transaction = findOrThrow(paddle.store.state.transactions, "transaction", c.req.param("id"));
    return respond(c, { url: invoiceUrl(paddle, originOf(c), transaction) });
  });
  return app;
}

const UNKNOWN_ID = "0".repeat(26);

/** The transaction, as changed by a fault. */
function withFault(c: Context<StandInEnv>, transaction: Transaction): Transaction {
  if (isSimulating(c, "stays-paid")) return { ...transaction, status: "paid", invoice_id: null, invoice_number: null };
  if (isSimulating(c, "foreign-user")) {
    return { ...transaction, customer_id: `ctm_${UNKNOWN_ID}`, custom_data: { user_id: "usr_another_user" } };
  }
  if (!isSimulating(c, "foreign-price")) return transaction;
  const items = transaction.items.map((item) => ({ ...item, price: { ...item.price, id: `pri_${UNKNOWN_ID}` } }));
  return { ...transaction, items };
}
