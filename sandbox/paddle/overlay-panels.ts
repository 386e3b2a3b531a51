import { html } from "hono/html";
import type { Markup } from "../kit/look/page.ts";
import { type Card, digitsOf, isCardNumber } from "./cards.ts";
import type { LineItem, LineTotals, Transaction } from "./model.ts";
import type { Paddle } from "./respond.ts";
import { formatMinor, toMajor } from "./time.ts";

/** What a buyer typed in. */
export interface CardFields {
  number: string;
  expiry: string;
  cvc: string;
  holder: string;
}

/** What is wrong with it, by field. */
export type CardFaults = Partial<Record<keyof CardFields, string>>;

const EXPIRY = /^\s*(\d{1,2})\s*\/\s*(?:20)?(\d{2})\s*$/;
const CENTURY = 2000;

/** Test cards, as Paddle's documentation numbers them. */
const TEST_CARDS = [
  ["4242 4242 4242 4242", "Use card that works"],
  ["4000 0038 0000 0446", "Use card that asks your bank"],
  ["4000 0000 0000 0002", "Use card that is declined"],
  ["4000 0027 6000 3184", "Use card that fails at renewals"],
] as const;

/** The fields of a form, as text. */
export function readFields(form: Record<string, unknown>): CardFields {
  const text = (name: keyof CardFields) => {
    const value = form[name];
    return typeof value === "string" ? value.trim() : "";
  };
  return { number: text("number"), expiry: text("expiry"), cvc: text("cvc"), holder: text("holder") };
}

/** The card, or what is wrong with it. Whether the bank likes it is another question. */
export function readCard(fields: CardFields): { card: Card } | { faults: CardFaults } {
  const [, month = "", year = ""] = EXPIRY.exec(fields.expiry) ?? [];
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  const faults: CardFaults = {
    ...(!isCardNumber(fields.number) && { number: "Check the card number" }),
    ...(!isMonth && { expiry: "Month and year, like 04 / 30" }),
    ...(!/^\d{3,4}$/.test(fields.cvc) && { cvc: "The three digits on the back" }),
    ...(fields.holder === "" && { holder: "The name on the card" }),
  };
  if (Object.keys(faults).length > 0) return { faults };
  const number = digitsOf(fields.number);
  const expiryYear = CENTURY + Number(year);
  return { card: { number, expiryMonth: Number(month), expiryYear, cvc: fields.cvc, holder: fields.holder } };
}

/** The four fields of a card. The security code is never shown again. */
export function cardFields(fields: Partial<CardFields> = {}, faults: CardFaults = {}): Markup {
  const first = (["number", "expiry", "cvc", "holder"] as const).find((name) => faults[name] !== undefined) ?? "number";
  const field = (name: keyof CardFields, label: string, autocomplete: string, hint: string) => {
    const fault = faults[name];
    const value = name === "cvc" ? "" : (fields[name] ?? "");
    const isNumeric = name === "number" || name === "cvc";
    return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" placeholder="${hint}" autocomplete="${autocomplete}" ${isNumeric ? html`inputmode="numeric"` : ""} ${name === first ? "data-first" : ""} ${fault === undefined ? "" : html`aria-invalid="true" aria-describedby="${name}-wrong"`}>
${fault === undefined ? "" : html`<p class="wrong" id="${name}-wrong">${fault}</p>`}</div>`;
  };
  return html`${field("number", "Card number", "cc-number", "4242 4242 4242 4242")}
<div class="pair">${field("expiry", "Expiry date", "cc-exp", "MM / YY")}${field("cvc", "Security code", "cc-csc", "100")}</div>
${field("holder", "Name on card", "cc-name", "")}`;
}

/** Buttons that fill in a test card. @param expiryYear the year that they are good until */
function testCards(expiryYear: number): Markup {
  const fieldsOf = (number: string) =>
    JSON.stringify({ number, expiry: `12 / ${String(expiryYear).slice(-2)}`, cvc: "100", holder: "Test Buyer" });
  return html`<details class="cards" open><summary>Test cards</summary><ul>${TEST_CARDS.map(
    ([number, text]) =>
      html`<li><button type="button" data-card="${fieldsOf(number)}">${text} <span class="num">${number}</span></button></li>`,
  )}</ul></details>`;
}

/** What a bank's refusal means, in words. */
export function declineText(errorCode: string): string {
  const texts = new Map([
    ["declined", "Your card was declined."],
    ["expired_card", "Your card has expired."],
    ["not_enough_balance", "There is not enough money on the card."],
    ["fraud", "Your bank suspects fraud."],
    ["authentication_failed", "Your bank did not confirm the payment."],
    ["invalid_payment_details", "The card's details are not right."],
  ]);
  return `${texts.get(errorCode) ?? `The payment failed (${errorCode}).`} Nothing was charged. Try again, or use another card.`;
}

/** What an event of the checkout tells, in the shape of Paddle.js: amounts are numbers, in whole units of the currency. */
type EventData = ReturnType<typeof eventData>;

/** An event of the checkout, as `eventCallback` gets it. */
export interface CheckoutEvent {
  name: string;
  data: EventData;
}

/** Number of a checkout: it lives and dies with its transaction. */
function checkoutId({ id }: Transaction): string {
  return id.replace("txn_", "che_");
}

/** The transaction of a checkout. */
export function transactionIdOf(id: string): string {
  return id.replace("che_", "txn_");
}

/** Everything about a checkout as it stands. */
function eventData(paddle: Paddle, transaction: Transaction) {
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

const COUNTRIES = [
  ["US", "United States"],
  ["GB", "United Kingdom"],
  ["DE", "Germany"],
  ["FR", "France"],
  ["CH", "Switzerland"],
  ["CA", "Canada"],
  ["AU", "Australia"],
  ["BR", "Brazil"],
  ["IN", "India"],
  ["JP", "Japan"],
] as const;

const YEARS_AHEAD = 4;

const emailOf = ({ store }: Paddle, { customer_id }: Transaction): string =>
  store.state.customers.get(customer_id ?? "")?.email ?? "";

const money = (amount: string, { currency_code }: Transaction): string => formatMinor(Number(amount), currency_code);

/** Whether it goes on by itself. */
const isRecurring = ({ items }: Transaction): boolean => items.some(({ price }) => price.billing_cycle !== null);

function bill(transaction: Transaction, isOpen = true): Markup {
  const { line_items, totals } = transaction.details;
  const rows = line_items.map(({ product, price_id, quantity, totals: line }) => {
    const price = transaction.items.find((item) => item.price.id === price_id)?.price;
    const often = price?.billing_cycle ? `, each ${price.billing_cycle.interval}` : "";
    return html`<dt>${quantity > 1 ? `${quantity} × ` : ""}${product.name}<small>${price?.name ?? ""}${often}</small></dt><dd>${money(line.total, transaction)}</dd>`;
  });
  const credit = Number(totals.credit);
  return html`<dl class="bill">${rows}
<dt>Tax${transaction.items.some(({ price }) => price.tax_mode === "external") ? "" : " (contained)"}</dt><dd>${money(totals.tax, transaction)}</dd>
${credit > 0 ? html`<dt>Credit</dt><dd>−${money(totals.credit, transaction)}</dd>` : ""}
<dt class="sum">${isOpen ? "Due today" : "Paid"}</dt><dd class="sum">${money(isOpen ? totals.balance : totals.grand_total, transaction)}</dd></dl>`;
}

/** First, when nobody said who buys: e-mail and country. */
export function buyerPanel(paddle: Paddle, transaction: Transaction, fault = "", email = ""): Markup {
  const { country } = paddle.settings;
  return html`<h1 tabindex="-1">Who is buying?</h1>${bill(transaction)}
<form class="fields" novalidate data-post="/checkout/${checkoutId(transaction)}/buyer">
<div class="field"><label for="email">Email</label><input id="email" name="email" type="email" autocomplete="email" value="${email}" data-first ${fault === "" ? "" : html`aria-invalid="true" aria-describedby="email-wrong"`}>${fault === "" ? "" : html`<p class="wrong" id="email-wrong">${fault}</p>`}</div>
<div class="field"><label for="country">Country</label><select id="country" name="country" autocomplete="country">${COUNTRIES.map(
    ([code, name]) => html`<option value="${code}" ${code === country ? "selected" : ""}>${name}</option>`,
  )}</select></div>
<button class="btn btn-1" data-busy="One moment …">Continue</button></form>`;
}

/** The card form. `problem` says why the last try failed. */
export function cardPanel(
  paddle: Paddle,
  transaction: Transaction,
  {
    problem = "",
    fields = {},
    faults = {},
  }: { problem?: string; fields?: Partial<CardFields>; faults?: CardFaults } = {},
): Markup {
  const id = checkoutId(transaction);
  const due = money(transaction.details.totals.balance, transaction);
  const begins = JSON.stringify(eventOf(paddle, "payment.initiated", transaction));
  const year = paddle.clock.now().getUTCFullYear() + YEARS_AHEAD;
  return html`<h1 tabindex="-1">Payment</h1>
<p class="muted small">For ${emailOf(paddle, transaction)}</p>${bill(transaction)}
${problem === "" ? "" : html`<p class="note-failed" role="alert">${problem}</p>`}
<form class="fields" novalidate data-post="/checkout/${id}/pay" data-view="/checkout/${id}/view" data-begins="${begins}">
${cardFields(fields, faults)}
<button class="btn btn-1" data-pay data-busy="Paying …">${isRecurring(transaction) ? `Subscribe for ${due}` : `Pay ${due}`}</button></form>
${testCards(year)}
<p class="muted small foot">No card is charged: this stand-in knows test cards only.${isRecurring(transaction) ? " The subscription renews by itself until it is canceled." : ""}</p>`;
}

/** The bank asks whether the buyer is the buyer (3-D Secure). */
export function challengePanel(transaction: Transaction, attemptId: string): Markup {
  const id = checkoutId(transaction);
  return html`<h1 tabindex="-1">Your bank asks</h1>
<p class="muted">Do you want to pay ${money(transaction.details.totals.balance, transaction)} to Paddle sandbox?</p>
<form class="stack" data-post="/checkout/${id}/challenge" data-view="/checkout/${id}/view">
<input type="hidden" name="attempt" value="${attemptId}">
<button class="btn btn-1" name="answer" value="approve" data-first data-busy="One moment …">Approve</button>
<button class="btn btn-2" name="answer" value="refuse" data-busy="One moment …">Refuse</button></form>`;
}

/** The money is there. */
export function donePanel(paddle: Paddle, transaction: Transaction): Markup {
  return html`<h1 tabindex="-1">Payment complete</h1>
<p class="note-done" role="status">Thank you. ${money(transaction.details.totals.grand_total, transaction)} from ${emailOf(paddle, transaction)}.</p>
${bill(transaction, false)}
<button class="btn btn-1" type="button" data-close data-first>Close</button>`;
}
