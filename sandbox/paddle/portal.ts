import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { type Markup, PAGE_HEADERS } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { answerChallenge, changePaymentMethod, type PayOutcome } from "./checkout.ts";
import { portalCustomer } from "./customers.ts";
import { RefusedError } from "./http.ts";
import { invoiceUrl } from "./invoices.ts";
import type { Subscription, Transaction } from "./model.ts";
import { bankAnswers, buyerPage, type CardForm, cardFields, declineText, errorPage, readCard } from "./panels.ts";
import { formatDay } from "./periods.ts";
import type { Paddle } from "./state.ts";
import { pastDueOf } from "./subscriptions.ts";
import { formatMinor } from "./totals.ts";

const SHOWN = 50;

type Request = Context<StandInEnv>;

/** The seller's sales (`/`), and the customer portal: what a customer has, and another card, by links that live a day. */
export function portalRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/", (c) => c.html(salesPage(paddle), 200, PAGE_HEADERS));
  app.get("/portal/:token", (c) => {
    const customerId = portalCustomer(paddle, c.req.param("token"));
    return customerId === undefined ? gone(c) : c.html(overviewPage(paddle, c, customerId), 200, PAGE_HEADERS);
  });
  const ONE = "/portal/:token/subscriptions/:id";
  app.get(`${ONE}/payment-method`, (c) => show(paddle, c, (one) => cardPage(paddle, c, one)));
  app.post(`${ONE}/payment-method`, (c) => show(paddle, c, (one, form) => giveCard(paddle, c, one, form)));
  app.post(`${ONE}/challenge`, (c) =>
    show(paddle, c, (one, { attempt = "", answer }) =>
      afterCard(paddle, c, one, answerChallenge(paddle, attempt, answer === "approve")),
    ),
  );
  return app;
}

function gone(c: Request): Response | Promise<Response> {
  const text = "Links to this page live for a day. Go back and open it again.";
  return c.html(errorPage("This link is over", text), 404, PAGE_HEADERS);
}

/** Shows a page about a subscription that is the link's customer's; a refusal becomes a page, too. */
async function show(
  paddle: Paddle,
  c: Request,
  pageOf: (subscription: Subscription, form: Record<string, string>) => Markup,
): Promise<Response> {
  const customerId = portalCustomer(paddle, c.req.param("token") ?? "");
  const subscription = paddle.store.state.subscriptions.get(c.req.param("id") ?? "");
  if (subscription === undefined || subscription.customer_id !== customerId) return gone(c);
  const form = c.req.method === "POST" ? Object.fromEntries(new URLSearchParams(await c.req.text())) : {};
  try {
    return await c.html(pageOf(subscription, form), 200, PAGE_HEADERS);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return c.html(errorPage("This cannot be done", error.message), 400, PAGE_HEADERS);
  }
}

const linkTo = (c: Request, { id }: Subscription, what: string): string =>
  `/portal/${c.req.param("token")}/subscriptions/${id}/${what}`;

const nameOf = ({ items }: Subscription): string => items.map(({ product }) => product.name).join(", ");

/** How it goes on, in a sentence. */
function outlook({ status, scheduled_change, next_billed_at, canceled_at }: Subscription): string {
  if (status === "canceled") return `Ended on ${formatDay(canceled_at)}.`;
  if (status === "paused") return "Paused.";
  if (status === "past_due") return "The last renewal could not be charged. Change the card to pay it.";
  if (scheduled_change !== null) return `Ends on ${formatDay(scheduled_change.effective_at)}.`;
  return `Renews on ${formatDay(next_billed_at)}.`;
}

/** A list of rows, newest first. */
function rows<T>(list: T[], rowOf: (one: T) => Markup): Markup {
  if (list.length === 0) return html`<p class="muted">None yet.</p>`;
  return html`<dl class="bill">${list.toReversed().slice(0, SHOWN).map(rowOf)}</dl>`;
}

/** Payments with their invoices. */
function paymentRows(paddle: Paddle, isShown: (transaction: Transaction) => boolean): Markup {
  const all = [...paddle.store.state.transactions.values()];
  const paid = all.filter((one) => one.billed_at !== null && isShown(one));
  return rows(paid, (transaction) => {
    const { details, currency_code, billed_at, status, invoice_id } = transaction;
    const name = details.line_items.map(({ product }) => product.name).join(", ");
    const invoice =
      invoice_id === null ? "" : html` · <a class="link" href="${invoiceUrl(paddle, "", transaction)}">Invoice</a>`;
    return html`<dt>${name}<small>${formatDay(billed_at)}, ${status}${invoice}</small></dt><dd>${formatMinor(details.totals.grand_total, currency_code)}</dd>`;
  });
}

/** What was sold here: the seller's own view, as far as it is of use on one machine. */
function salesPage(paddle: Paddle): Markup {
  const { subscriptions, customers, notifications } = paddle.store.state;
  const waiting = [...notifications.values()].filter(({ status }) => status === "needs_retry").length;
  return buyerPage(
    "Sales",
    html`<h1 class="title">Sales</h1>
<p class="muted">Payments by test card, none of them charged. ${waiting === 0 ? "Every webhook was taken." : `${waiting} webhooks wait to be taken.`}</p>
<h2 class="h3 part">Subscriptions</h2>
${rows([...subscriptions.values()], (one) => html`<dt>${nameOf(one)}<small>${customers.get(one.customer_id)?.email}. ${outlook(one)}</small></dt><dd>${one.status}</dd>`)}
<h2 class="h3 part">Payments</h2>
${paymentRows(paddle, () => true)}`,
  );
}

/** What a customer has, and has paid. */
function overviewPage(paddle: Paddle, c: Request, customerId: string): Markup {
  const { customers, subscriptions } = paddle.store.state;
  const own = [...subscriptions.values()].filter(({ customer_id }) => customer_id === customerId);
  const cardLink = (one: Subscription) =>
    one.status === "canceled" ? "" : html`<a class="link" href="${linkTo(c, one, "payment-method")}">Change card</a>`;
  return buyerPage(
    "Your purchases",
    html`<h1 class="title">Your purchases</h1><p class="muted">${customers.get(customerId)?.email}</p>
<h2 class="h3 part">Subscriptions</h2>
${rows(own, (one) => html`<dt>${nameOf(one)}<small>${outlook(one)}</small></dt><dd>${cardLink(one)}</dd>`)}
<h2 class="h3 part">Payments</h2>
${paymentRows(paddle, ({ customer_id }) => customer_id === customerId)}`,
  );
}

/** The form in which a card is changed; what is past due is paid with it at once. */
function cardPage(paddle: Paddle, c: Request, subscription: Subscription, form: CardForm = {}): Markup {
  const pastDue = pastDueOf(paddle, subscription);
  const due = pastDue && formatMinor(pastDue.details.totals.balance, pastDue.currency_code);
  return buyerPage(
    "Change card",
    html`<h1 class="title">Change card</h1><p class="muted">${nameOf(subscription)}</p>
${due === undefined ? "" : html`<p class="note-failed">${due} could not be charged. It is paid with the new card at once.</p>`}
${form.problem === undefined ? "" : html`<p class="note-failed" role="alert">${form.problem}</p>`}
<form class="fields stack" method="post" action="${linkTo(c, subscription, "payment-method")}" novalidate>
${cardFields(form)}
<button class="btn btn-1">${due === undefined ? "Save card" : `Pay ${due}`}</button></form>
<p class="muted small foot">Test cards: 4242 4242 4242 4242 works, 4000 0038 0000 0446 asks your bank, 4000 0000 0000 0002 is declined, 4000 0027 6000 3184 fails at renewals. Any later date, code 100.</p>${back(c)}`,
  );
}

function giveCard(paddle: Paddle, c: Request, subscription: Subscription, form: Record<string, string>): Markup {
  const read = readCard(form);
  if ("faults" in read) return cardPage(paddle, c, subscription, read);
  return afterCard(paddle, c, subscription, changePaymentMethod(paddle, subscription.id, read.card));
}

function afterCard(paddle: Paddle, c: Request, subscription: Subscription, outcome: PayOutcome): Markup {
  if (outcome.outcome === "declined") {
    return cardPage(paddle, c, subscription, { problem: declineText(outcome.errorCode) });
  }
  if (outcome.outcome === "challenge") {
    return buyerPage(
      "Your bank asks",
      html`<h1 class="title">Your bank asks</h1><p class="muted">Do you give this card to Paddle sandbox?</p>
<form class="stack" method="post" action="${linkTo(c, subscription, "challenge")}">${bankAnswers(outcome.attemptId)}</form>`,
    );
  }
  const isPaid = Number(outcome.transaction.details.totals.grand_total) > 0;
  const text = isPaid ? "What was open is paid, and renewals use this card." : "Renewals use it.";
  return buyerPage(
    "Card saved",
    html`<h1 class="title">Card saved</h1><p class="note-done" role="status">${text}</p>${back(c)}`,
  );
}

function back(c: Request): Markup {
  return html`<p class="foot"><a class="link" href="/portal/${c.req.param("token")}">All purchases</a></p>`;
}
