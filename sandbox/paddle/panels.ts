import { html } from "hono/html";
import { type Markup, sitePage } from "../kit/ui/page.ts";
import { type Card, isCardNumber, TEST_CARDS } from "./cards.ts";
import type { LineTotals, Transaction } from "./model.ts";
import type { Paddle } from "./state.ts";
import { COUNTRIES, formatMinor, toMajor } from "./totals.ts";

/** A page outside of the checkout. */
export const buyerPage = (title: string, body: Markup) =>
  sitePage("Paddle sandbox", title, ["/checkout/checkout.css"], body, "narrow");

export function errorPage(title: string, text: string): Markup {
  return buyerPage(title, html`<h1 class="title">${title}</h1><p class="note-failed" role="alert">${text}</p>`);
}

type CardFields = Record<"number" | "expiry" | "cvc" | "holder", string>;

/** A card form: why the last attempt failed, the entered values, and their validation errors. */
export interface CardForm {
  problem?: string;
  fields?: CardFields;
  errors?: Partial<CardFields>;
}

const EXPIRY = /^\s*(\d{1,2})\s*\/\s*(?:20)?(\d{2})\s*$/;
const CENTURY = 2000;

/** The card of a form, or its validation errors. Does not check whether the bank accepts the card. */
export function readCard(form: Record<string, unknown>): { card: Card } | Required<Omit<CardForm, "problem">> {
  const text = (name: keyof CardFields) => (typeof form[name] === "string" ? form[name].trim() : "");
  const fields = { number: text("number"), expiry: text("expiry"), cvc: text("cvc"), holder: text("holder") };
  const [, month = "", year = ""] = EXPIRY.exec(fields.expiry) ?? [];
  const errors: Partial<CardFields> = {
    ...(!isCardNumber(fields.number) && { number: "Check the card number" }),
    ...(!(Number(month) >= 1 && Number(month) <= 12) && { expiry: "Enter month and year, like 04 / 30" }),
    ...(!/^\d{3,4}$/.test(fields.cvc) && { cvc: "Enter the 3 digits on the back" }),
    ...(fields.holder === "" && { holder: "Enter the name on the card" }),
  };
  if (Object.keys(errors).length > 0) return { fields, errors };
  const { number, holder } = fields;
  return { card: { number, expiryMonth: Number(month), expiryYear: CENTURY + Number(year), holder } };
}

/** The four fields of a card. The security code is never shown again. */
export function cardFields({ fields, errors = {} }: CardForm): Markup {
  const first = (["number", "expiry", "cvc", "holder"] as const).find((name) => errors[name] !== undefined) ?? "number";
  const field = (name: keyof CardFields, label: string, autocomplete: string, hint = "") =>
    formField(name, label, errors[name], (problem) => {
      const value = name === "cvc" ? "" : (fields?.[name] ?? "");
      return html`<input id="${name}" name="${name}" value="${value}" placeholder="${hint}" autocomplete="${autocomplete}" ${name === first ? "data-first" : ""} ${problem}>`;
    });
  return html`${field("number", "Card number", "cc-number", TEST_CARDS.works)}
<div class="pair">${field("expiry", "Expiry date", "cc-exp", "MM / YY")}${field("cvc", "Security code", "cc-csc", "100")}</div>
${field("holder", "Name on card", "cc-name")}`;
}

function formField(name: string, label: string, error: string | undefined, input: (problem: Markup) => Markup): Markup {
  if (error === undefined) return html`<div class="field"><label for="${name}">${label}</label>${input(html``)}</div>`;
  const problem = html`aria-invalid="true" aria-describedby="${name}-wrong"`;
  return html`<div class="field"><label for="${name}">${label}</label>${input(problem)}<p class="wrong" id="${name}-wrong">${error}</p></div>`;
}

/** Buttons that fill in a test card. @param expiryYear the expiry year of the test cards */
function testCards(expiryYear: number): Markup {
  const buttons = Object.entries(TEST_CARDS).map(([behavior, number]) => {
    const expiry = `12 / ${String(expiryYear).slice(-2)}`;
    const card = JSON.stringify({ number, expiry, cvc: "100", holder: "Test Buyer" });
    return html`<li><button type="button" data-card="${card}">Use card that ${behavior} <span class="num">${number}</span></button></li>`;
  });
  return html`<details class="cards" open><summary>Test cards</summary><ul>${buttons}</ul></details>`;
}

const DECLINE_TEXTS = new Map([
  ["declined", "Your card was declined."],
  ["expired_card", "Your card has expired."],
  ["authentication_failed", "Your bank did not confirm the payment."],
]);

export function declineText(errorCode: string): string {
  const text = DECLINE_TEXTS.get(errorCode) ?? `The payment failed (${errorCode}).`;
  return `${text} Nothing was charged. Try again, or use another card.`;
}

export interface CheckoutEvent {
  name: string;
  data: ReturnType<typeof eventData>;
}

/** An event with the state of its checkout, in the format of Paddle.js: amounts are numbers in major units. */
export function eventOf(paddle: Paddle, name: string, transaction: Transaction): CheckoutEvent {
  return { name: `checkout.${name}`, data: eventData(paddle, transaction) };
}

/** A checkout has the id of its transaction. */
function checkoutId({ id }: Transaction): string {
  return id.replace("txn_", "che_");
}

function eventData(paddle: Paddle, transaction: Transaction) {
  const { currency_code, details, payments, status, custom_data } = transaction;
  const [attempt] = payments;
  const major = (amount: string) => toMajor(Number(amount), currency_code);
  const majorTotals = ({ subtotal, discount, tax, total }: LineTotals) => {
    return { subtotal: major(subtotal), discount: major(discount), tax: major(tax), total: major(total) };
  };
  const items = details.line_items.map(({ price_id, product, quantity, totals }) => {
    const price = transaction.items.find((item) => item.price.id === price_id)?.price;
    const cycle = price?.billing_cycle ?? undefined;
    return {
      price_id,
      price_name: price?.name ?? null,
      product: { id: product.id, name: product.name, description: product.description ?? "", image_url: "" },
      quantity,
      totals: majorTotals(totals),
      billing_cycle: cycle,
      recurring_totals: cycle && majorTotals(totals),
    };
  });
  const { type, last4, expiry_month, expiry_year } = attempt?.method_details.card ?? {};
  const card = { type, last4, expiry_month, expiry_year };
  return {
    id: checkoutId(transaction),
    transaction_id: transaction.id,
    status: String(status),
    currency_code,
    customer: customerOf(paddle, transaction),
    product_id: items[0]?.product.id ?? null,
    items,
    totals: {
      ...majorTotals(details.totals),
      credit: major(details.totals.credit),
      balance: major(details.totals.balance),
    },
    recurring_totals: isRecurring(transaction) ? majorTotals(details.totals) : undefined,
    payment: { method_details: attempt === undefined ? { type: "none" } : { type: "card", card } },
    custom_data,
    upsell: null,
  };
}

function customerOf({ store }: Paddle, { customer_id, address_id }: Transaction) {
  const customer = store.state.customers.get(customer_id ?? "");
  const address = store.state.addresses.get(address_id ?? "");
  if (customer === undefined || address === undefined) return {};
  const { id, country_code, postal_code } = address;
  const buyerAddress = { id, country_code, postal_code: postal_code ?? "", city: "", region: "", first_line: "" };
  return { id: customer.id, email: customer.email, address: buyerAddress, business: null };
}

const YEARS_AHEAD = 4;

const emailOf = ({ store }: Paddle, { customer_id }: Transaction): string =>
  store.state.customers.get(customer_id ?? "")?.email ?? "";

const money = (amount: string, { currency_code }: Transaction): string => formatMinor(amount, currency_code);

const isRecurring = ({ items }: Transaction): boolean => items.some(({ price }) => price.billing_cycle !== null);

function bill(transaction: Transaction, isOpen = true): Markup {
  const { line_items, totals } = transaction.details;
  const rows = line_items.map(({ product, price_id, quantity, totals: line }) => {
    const price = transaction.items.find((item) => item.price.id === price_id)?.price;
    const often = price?.billing_cycle ? `, each ${price.billing_cycle.interval}` : "";
    return html`<dt>${quantity > 1 ? `${quantity} × ` : ""}${product.name}<small>${price?.name ?? ""}${often}</small></dt><dd>${money(line.total, transaction)}</dd>`;
  });
  return html`<dl class="bill">${rows}
<dt>Tax (included)</dt><dd>${money(totals.tax, transaction)}</dd>
<dt class="sum">${isOpen ? "Due today" : "Paid"}</dt><dd class="sum">${money(isOpen ? totals.balance : totals.grand_total, transaction)}</dd></dl>`;
}

/** The first step if the buyer is unknown: email and country. */
export function buyerPanel({ settings }: Paddle, transaction: Transaction, error?: string, email = ""): Markup {
  const options = Object.entries(COUNTRIES).map(
    ([code, { name }]) =>
      html`<option value="${code}" ${code === settings.values.country ? "selected" : ""}>${name}</option>`,
  );
  return html`<h1 tabindex="-1">Your details</h1>${bill(transaction)}
<form class="fields" novalidate data-post="/checkout/${checkoutId(transaction)}/buyer">
${formField("email", "Email", error, (problem) => html`<input id="email" name="email" type="email" autocomplete="email" value="${email}" data-first ${problem}>`)}
${formField("country", "Country", undefined, () => html`<select id="country" name="country" autocomplete="country">${options}</select>`)}
<button class="btn btn-1" data-busy="One moment…">Continue</button></form>`;
}

export function cardPanel(paddle: Paddle, transaction: Transaction, form: CardForm = {}): Markup {
  const id = checkoutId(transaction);
  const due = money(transaction.details.totals.balance, transaction);
  const begins = JSON.stringify(eventOf(paddle, "payment.initiated", transaction));
  return html`<h1 tabindex="-1">Payment</h1>
<p class="muted small">For ${emailOf(paddle, transaction)}</p>${bill(transaction)}
${form.problem === undefined ? "" : html`<p class="note-failed" role="alert">${form.problem}</p>`}
<form class="fields" novalidate data-post="/checkout/${id}/pay" data-view="/checkout/${id}/view" data-begins="${begins}">
${cardFields(form)}
<button class="btn btn-1" data-pay data-busy="Paying…">${isRecurring(transaction) ? `Subscribe for ${due}` : `Pay ${due}`}</button></form>
${testCards(paddle.clock.now().getUTCFullYear() + YEARS_AHEAD)}
<p class="muted small foot">No card is charged: this stand-in only accepts test cards.${isRecurring(transaction) ? " The subscription renews automatically until you cancel it." : ""}</p>`;
}

/** The bank asks the buyer to confirm (3-D Secure). */
export function challengePanel(transaction: Transaction, attemptId: string): Markup {
  const id = checkoutId(transaction);
  return html`<h1 tabindex="-1">Confirm with your bank</h1>
<p class="muted">Do you want to pay ${money(transaction.details.totals.balance, transaction)} to Paddle sandbox?</p>
<form class="stack" data-post="/checkout/${id}/challenge" data-view="/checkout/${id}/view">${bankButtons(attemptId)}</form>`;
}

export function bankButtons(attemptId: string): Markup {
  return html`<input type="hidden" name="attempt" value="${attemptId}">
<button class="btn btn-1" name="answer" value="approve" data-first data-busy="One moment…">Approve</button>
<button class="btn btn-2" name="answer" value="refuse" data-busy="One moment…">Decline</button>`;
}

export function donePanel(paddle: Paddle, transaction: Transaction): Markup {
  return html`<h1 tabindex="-1">Payment complete</h1>
<p class="note-done" role="status">Thank you. ${emailOf(paddle, transaction)} paid ${money(transaction.details.totals.grand_total, transaction)}.</p>
${bill(transaction, false)}
<button class="btn btn-1" type="button" data-close data-first>Close</button>`;
}
