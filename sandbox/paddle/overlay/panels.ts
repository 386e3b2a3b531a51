import { html } from "hono/html";
import type { Markup } from "../../kit/look/page.ts";
import type { Paddle } from "../context.ts";
import type { Transaction } from "../model.ts";
import { formatMinor } from "../money.ts";
import { type CardFaults, type CardFields, cardFields, testCards } from "./card-form.ts";
import { checkoutId, eventOf } from "./event-data.ts";

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
