import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { adjustmentsOf } from "./adjustments.ts";
import { payable, toLine } from "./checkout.ts";
import { findAddress, findCustomer } from "./customers.ts";
import type { CustomData, Transaction } from "./model.ts";
import { assertCurrency } from "./pricing.ts";
import { invalidField } from "./refusals.ts";
import { answer, answerPage, filterBy, originOf, type Paddle, readRequest } from "./respond.ts";
import { edit } from "./state.ts";
import { createTransaction, findTransaction, invoiceUrl, priced, readTransaction } from "./transactions.ts";

interface TransactionBody {
  items?: { price_id?: string; quantity: number }[];
  customer_id?: string | null;
  address_id?: string | null;
  currency_code?: string | null;
  custom_data?: CustomData;
  status?: string;
}

const FOREIGN = { customer: "ctm_00000000000000000000000000", price: "pri_00000000000000000000000000" };
const SIZE = { usual: 30, most: 30 };
const FILTERS = ["id", "customer_id", "subscription_id", "status", "origin", "collection_mode", "invoice_number"];
const PLAYED = new Set([
  "items",
  "customer_id",
  "address_id",
  "currency_code",
  "custom_data",
  "status",
  "collection_mode",
]);

/** `GET|POST /transactions`, `GET|PATCH /transactions/:id`, `GET /transactions/:id/invoice`. */
export function transactionsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/transactions", async (c) => {
    const { query } = await readRequest(paddle, c, "/transactions");
    const found = filterBy(paddle.store.state.transactions.values(), query, FILTERS);
    return answerPage(paddle, c, found, (transaction) => withIncludes(paddle, transaction, query.include), SIZE);
  });
  app.post("/transactions", async (c) => {
    const { body, query } = await readRequest<TransactionBody>(paddle, c, "/transactions");
    const transaction = create(paddle, body);
    c.set("created", transaction.id);
    return answer(c, withIncludes(paddle, transaction, query.include), 201);
  });
  app.get("/transactions/:id", async (c) => {
    const { path, query } = await readRequest(paddle, c, "/transactions/{transaction_id}");
    const transaction = readTransaction(paddle, path.transaction_id ?? "");
    return answer(c, withIncludes(paddle, played(c, transaction), query.include));
  });
  app.patch("/transactions/:id", async (c) => {
    const { path, body, query } = await readRequest<TransactionBody>(paddle, c, "/transactions/{transaction_id}");
    const transaction = payable(findTransaction(paddle, path.transaction_id));
    return answer(c, withIncludes(paddle, change(paddle, transaction, body), query.include));
  });
  app.get("/transactions/:id/invoice", async (c) => {
    const { path } = await readRequest(paddle, c, "/transactions/{transaction_id}/invoice");
    const transaction = findTransaction(paddle, path.transaction_id);
    return answer(c, { url: invoiceUrl(paddle, originOf(paddle, c), transaction) });
  });
  return app;
}

/** The transaction, or what a fault makes of it. */
function played(c: Context<StandInEnv>, transaction: Transaction): Transaction {
  if (isPlaying(c, "stays-paid")) return { ...transaction, status: "paid", invoice_id: null, invoice_number: null };
  if (isPlaying(c, "foreign-user")) {
    return { ...transaction, customer_id: FOREIGN.customer, custom_data: { user_id: "usr_somebody_else" } };
  }
  if (!isPlaying(c, "foreign-price")) return transaction;
  const items = transaction.items.map((item) => ({ ...item, price: { ...item.price, id: FOREIGN.price } }));
  return { ...transaction, items };
}

function create(paddle: Paddle, body: TransactionBody): Transaction {
  assertPlayed(body);
  const { items = [], custom_data: customData = null, currency_code } = body;
  const ids = buyerOf(paddle, body);
  return edit(paddle, (one) =>
    createTransaction(paddle, one, {
      lines: linesOf(paddle, items),
      origin: "api",
      customData,
      currency: currency_code ?? undefined,
      ...ids,
    }),
  );
}

function change(paddle: Paddle, transaction: Transaction, body: TransactionBody): Transaction {
  assertPlayed(body);
  if (body.status === "canceled") {
    return edit(paddle, (one) =>
      one.save("transactions", { ...transaction, status: "canceled" }, "transaction.canceled"),
    );
  }
  const { customerId, addressId } = buyerOf(paddle, { ...transaction, ...body });
  const items = body.items ?? transaction.items.map(({ price, quantity }) => ({ price_id: price.id, quantity }));
  const lines = linesOf(paddle, items);
  const currency = body.currency_code ?? undefined;
  return edit(paddle, (one) => {
    const next: Transaction = {
      ...transaction,
      ...priced(paddle, one, { lines, addressId, currency }),
      items: lines.map(({ price, quantity }) => ({ price, quantity, proration: null })),
      customer_id: customerId,
      address_id: addressId,
      custom_data: body.custom_data === undefined ? transaction.custom_data : body.custom_data,
    };
    const updated = one.save("transactions", next, "transaction.updated");
    const isReady = updated.status === "draft" && customerId !== null && addressId !== null;
    return isReady ? one.save("transactions", { ...updated, status: "ready" }, "transaction.ready") : updated;
  });
}

function linesOf(paddle: Paddle, items: { price_id?: string; quantity: number }[]) {
  return items.map(({ price_id, quantity }) => {
    if (price_id === undefined) throw invalidField("items", "only prices of the catalogue are played by this stand-in");
    return toLine(paddle, price_id, quantity);
  });
}

/** @throws RefusedError 404 for a customer or address that is not there, 400 for an address without its customer. */
function buyerOf(paddle: Paddle, { customer_id = null, address_id = null }: TransactionBody) {
  if (customer_id !== null) findCustomer(paddle, customer_id);
  if (address_id !== null) {
    if (customer_id === null) throw invalidField("address_id", "needs customer_id");
    findAddress(paddle, customer_id, address_id);
  }
  return { customerId: customer_id, addressId: address_id };
}

function assertPlayed(body: TransactionBody): void {
  const strange = Object.keys(body).find((field) => !PLAYED.has(field));
  if (strange !== undefined) throw invalidField(strange, "is not played by this stand-in");
  if (body.status !== undefined && body.status !== "canceled") {
    throw invalidField("status", "is not played by this stand-in, but for canceled");
  }
  assertCurrency(body.currency_code);
}

function withIncludes(paddle: Paddle, transaction: Transaction, include = ""): Transaction & Record<string, unknown> {
  const wanted = new Set(include.split(","));
  const { state } = paddle.store;
  const { customer_id, address_id, id } = transaction;
  const adjustments = adjustmentsOf(paddle, id);
  return {
    ...transaction,
    ...(wanted.has("customer") && { customer: state.customers.get(customer_id ?? "") ?? null }),
    ...(wanted.has("address") && { address: state.addresses.get(address_id ?? "") ?? null }),
    ...(wanted.has("business") && { business: null }),
    ...(wanted.has("discount") && { discount: null }),
    ...(wanted.has("available_payment_methods") && { available_payment_methods: ["card"] }),
    ...(wanted.has("adjustments") && { adjustments }),
    ...(wanted.has("adjustments_totals") && { adjustments_totals: adjustmentsTotals(transaction, adjustments) }),
  };
}

function adjustmentsTotals({ currency_code }: Transaction, adjustments: ReturnType<typeof adjustmentsOf>) {
  const held = adjustments.filter(({ status }) => status === "approved");
  const sum = (field: "subtotal" | "tax" | "total" | "fee" | "earnings", of = held) =>
    String(of.reduce((all, { totals }) => all + Number(totals[field]), 0));
  const by = (action: string) =>
    sum(
      "total",
      held.filter((one) => one.action === action),
    );
  return {
    subtotal: sum("subtotal"),
    tax: sum("tax"),
    total: sum("total"),
    fee: sum("fee"),
    earnings: sum("earnings"),
    breakdown: { credit: by("credit"), refund: by("refund"), chargeback: by("chargeback") },
    currency_code,
  };
}
