import { html } from "hono/html";
import type { Markup } from "../../kit/look/page.ts";
import type { Paddle } from "../context.ts";
import { invoiceUrl } from "../invoice.ts";
import type { Subscription, Transaction } from "../model.ts";
import { formatMinor } from "../money.ts";
import { type CardFaults, type CardFields, cardFields } from "./card-form.ts";
import { buyerPage, day } from "./pages.ts";

const SHOWN_PAYMENTS = 50;

/** Where the links of one session lead. */
export interface PortalView {
  paddle: Paddle;
  token: string;
  customerId: string;
}

const linkTo = (token: string, id: string, what: string): string => `/portal/${token}/subscriptions/${id}/${what}`;

/** What is subscribed to. */
export const nameOf = ({ items }: Subscription): string => items.map(({ product }) => product.name).join(", ");

const priceOf = ({ items, currency_code }: Subscription): string => {
  const total = items.reduce((sum, { price, quantity }) => sum + Number(price.unit_price.amount) * quantity, 0);
  return formatMinor(total, items[0]?.price.unit_price.currency_code ?? currency_code);
};

/** How it goes on, in a sentence. */
export function outlook({ status, scheduled_change, next_billed_at, canceled_at }: Subscription): string {
  if (status === "canceled") return `Ended on ${day(canceled_at)}.`;
  if (status === "paused") return "Paused.";
  if (status === "past_due") return "The last renewal could not be charged. Change the card to pay it.";
  if (scheduled_change?.action === "cancel") return `Ends on ${day(scheduled_change.effective_at)}.`;
  return `Renews on ${day(next_billed_at)}.`;
}

function subscriptionCard(token: string, subscription: Subscription): Markup {
  const { id, status, scheduled_change } = subscription;
  const isOver = status === "canceled";
  return html`<section class="card sub" aria-labelledby="${id}"><h2 class="h3" id="${id}">${nameOf(subscription)}</h2>
<p class="muted">${priceOf(subscription)} each month. ${outlook(subscription)}</p>
${isOver ? "" : html`<p class="links"><a class="link" href="${linkTo(token, id, "payment-method")}">Change card</a><a class="link" href="${linkTo(token, id, "cancel")}">${scheduled_change === null ? "Cancel" : "Keep it after all"}</a></p>`}</section>`;
}

/** A payment with its invoice, as a row of a list. */
export function paymentRow(paddle: Paddle, transaction: Transaction): Markup {
  const { details, currency_code, billed_at, status } = transaction;
  const amount = formatMinor(Number(details.totals.grand_total), currency_code);
  const url = transaction.invoice_id === null ? undefined : invoiceUrl(paddle, "", transaction);
  const name = details.line_items.map(({ product }) => product.name).join(", ");
  return html`<dt>${name}<small>${day(billed_at)}, ${status}${url === undefined ? "" : html` · <a class="link" href="${url}">Invoice</a>`}</small></dt><dd>${amount}</dd>`;
}

/** What a customer has, and has paid. */
export function overviewPage({ paddle, token, customerId }: PortalView): Markup {
  const { customers, subscriptions, transactions } = paddle.store.state;
  const theirs = [...subscriptions.values()].filter(({ customer_id }) => customer_id === customerId);
  const paid = [...transactions.values()].filter(
    ({ customer_id, billed_at }) => customer_id === customerId && billed_at !== null,
  );
  return buyerPage(
    "Your purchases",
    html`<h1 class="title">Your purchases</h1><p class="muted">${customers.get(customerId)?.email ?? ""}</p>
${theirs.length === 0 ? html`<p class="part">No subscription.</p>` : theirs.map((one) => subscriptionCard(token, one))}
<h2 class="h3 part">Payments</h2>
${
  paid.length === 0
    ? html`<p class="muted">None yet.</p>`
    : html`<dl class="bill">${paid
        .reverse()
        .slice(0, SHOWN_PAYMENTS)
        .map((one) => paymentRow(paddle, one))}</dl>`
}`,
  );
}

const back = (token: string): Markup =>
  html`<p class="foot"><a class="link" href="/portal/${token}">All purchases</a></p>`;

/** The form in which a card is changed. @param pastDue what is paid with it at once */
export function cardPage(
  { token }: PortalView,
  subscription: Subscription,
  pastDue: Transaction | undefined,
  {
    problem = "",
    fields = {},
    faults = {},
  }: { problem?: string; fields?: Partial<CardFields>; faults?: CardFaults } = {},
): Markup {
  const due = pastDue && formatMinor(Number(pastDue.details.totals.balance), pastDue.currency_code);
  return buyerPage(
    "Change card",
    html`<h1 class="title">Change card</h1><p class="muted">${nameOf(subscription)}, ${priceOf(subscription)} each month.</p>
${due === undefined ? "" : html`<p class="note-failed">${due} could not be charged. It is paid with the new card at once.</p>`}
${problem === "" ? "" : html`<p class="note-failed" role="alert">${problem}</p>`}
<form class="fields stack" method="post" action="${linkTo(token, subscription.id, "payment-method")}" novalidate>
${cardFields(fields, faults)}
<button class="btn btn-1">${due === undefined ? "Save card" : `Pay ${due}`}</button></form>
<p class="muted small foot">Test cards: 4242 4242 4242 4242 works, 4000 0038 0000 0446 asks your bank, 4000 0000 0000 0002 is declined, 4000 0027 6000 3184 fails at renewals. Any later date, code 100.</p>${back(token)}`,
  );
}

/** The bank's question about a card (3-D Secure). */
export function bankPage({ token }: PortalView, { id }: Subscription, attemptId: string): Markup {
  return buyerPage(
    "Your bank asks",
    html`<h1 class="title">Your bank asks</h1><p class="muted">Is it you who gives this card to Paddle sandbox?</p>
<form class="stack" method="post" action="${linkTo(token, id, "challenge")}"><input type="hidden" name="attempt" value="${attemptId}">
<button class="btn btn-1" name="answer" value="approve">Approve</button><button class="btn btn-2" name="answer" value="refuse">Refuse</button></form>`,
  );
}

/** Asks whether to end a subscription, or to keep one that is to end. */
export function cancelPage({ token }: PortalView, subscription: Subscription): Markup {
  const { id, scheduled_change, current_billing_period } = subscription;
  const isEnding = scheduled_change?.action === "cancel";
  const until = day(current_billing_period?.ends_at ?? null);
  return buyerPage(
    "Cancel",
    isEnding
      ? html`<h1 class="title">It ends on ${day(scheduled_change.effective_at)}</h1>
<form class="stack" method="post" action="${linkTo(token, id, "keep")}"><button class="btn btn-1">Keep ${nameOf(subscription)}</button></form>${back(token)}`
      : html`<h1 class="title">Cancel ${nameOf(subscription)}?</h1><p class="muted">It stays until ${until}, and is not charged again.</p>
<form class="stack" method="post" action="${linkTo(token, id, "cancel")}"><button class="btn btn-1">Cancel subscription</button></form>${back(token)}`,
  );
}

/** What was done. */
export function donePage({ token }: PortalView, title: string, text: string): Markup {
  return buyerPage(
    title,
    html`<h1 class="title">${title}</h1><p class="note-done" role="status">${text}</p>${back(token)}`,
  );
}

/** What cannot be shown, and why. */
export function deadPage(title: string, text: string): Markup {
  return buyerPage(title, html`<h1 class="title">${title}</h1><p class="note-failed" role="alert">${text}</p>`);
}
