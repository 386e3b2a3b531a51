import type { Paddle } from "../context.ts";
import type { LineItem, LineTotals, Transaction } from "../model.ts";
import { toMajor } from "../money.ts";

/** What an event of the checkout tells, in the shape of Paddle.js: amounts are numbers, in whole units of the currency. */
export type EventData = ReturnType<typeof eventData>;

/** An event of the checkout, as `eventCallback` gets it. */
export interface CheckoutEvent {
  name: string;
  data: EventData;
}

/** Number of a checkout: it lives and dies with its transaction. */
export function checkoutId({ id }: Transaction): string {
  return id.replace("txn_", "che_");
}

/** The transaction of a checkout. */
export function transactionIdOf(id: string): string {
  return id.replace("che_", "txn_");
}

/** Everything about a checkout as it stands. */
export function eventData(paddle: Paddle, transaction: Transaction) {
  const { currency_code, details, payments, status } = transaction;
  const [attempt] = payments;
  const totals = majorTotals(details.totals, currency_code);
  const lines = details.line_items.map((line) => itemOf(transaction, line));
  return {
    id: checkoutId(transaction),
    transaction_id: transaction.id,
    // The money is there: the checkout calls that completed, whatever the transaction still waits for.
    status: status === "paid" ? "completed" : status,
    currency_code,
    customer: customerOf(paddle, transaction),
    product_id: details.line_items[0]?.product.id ?? null,
    items: lines,
    totals: {
      ...totals,
      credit: toMajor(Number(details.totals.credit), currency_code),
      balance: toMajor(Number(details.totals.balance), currency_code),
    },
    recurring_totals: lines.some(({ billing_cycle }) => billing_cycle !== undefined) ? totals : undefined,
    payment: {
      method_details: attempt === undefined ? { type: "none" } : { type: "card", card: shownCard(attempt) },
    },
    custom_data: transaction.custom_data,
    upsell: null,
  };
}

/** An event with the state of its checkout. */
export function eventOf(paddle: Paddle, name: string, transaction: Transaction): CheckoutEvent {
  return { name: `checkout.${name}`, data: eventData(paddle, transaction) };
}

function itemOf({ items, currency_code }: Transaction, { price_id, product, quantity, totals }: LineItem) {
  const price = items.find((item) => item.price.id === price_id)?.price;
  const cycle = price?.billing_cycle ?? undefined;
  return {
    price_id,
    price_name: price?.name ?? null,
    product: {
      id: product.id,
      name: product.name,
      description: product.description ?? "",
      image_url: product.image_url ?? "",
    },
    quantity,
    totals: majorTotals(totals, currency_code),
    billing_cycle: cycle,
    recurring_totals: cycle && majorTotals(totals, currency_code),
  };
}

function customerOf({ store }: Paddle, { customer_id, address_id }: Transaction) {
  const customer = store.state.customers.get(customer_id ?? "");
  const address = store.state.addresses.get(address_id ?? "");
  if (customer === undefined) return {};
  return {
    id: customer.id,
    email: customer.email,
    address: address && {
      id: address.id,
      country_code: address.country_code,
      postal_code: address.postal_code ?? "",
      city: address.city ?? "",
      region: address.region ?? "",
      first_line: address.first_line ?? "",
    },
    business: null,
  };
}

function shownCard({ method_details: { card } }: Transaction["payments"][number]) {
  const { type, last4, expiry_month, expiry_year } = card;
  return { type, last4, expiry_month, expiry_year };
}

function majorTotals({ subtotal, discount, tax, total }: LineTotals, currency: string) {
  const major = (amount: string) => toMajor(Number(amount), currency);
  return { subtotal: major(subtotal), discount: major(discount), tax: major(tax), total: major(total) };
}
