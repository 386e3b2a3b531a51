import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { type Markup, PAGE_HEADERS } from "../kit/ui/page.ts";
import { answerChallenge, changePaymentMethod, type PayOutcome } from "./checkout.ts";
import { portalCustomer } from "./customers.ts";
import { ApiError } from "./http.ts";
import { invoiceUrl } from "./invoices.ts";
import type { Subscription, Transaction } from "./model.ts";
import { bankButtons, buyerPage, type CardForm, cardFields, declineText, errorPage, readCard } from "./panels.ts";
import { formatDay } from "./periods.ts";
import type { Paddle } from "./state.ts";
import { pastDueOf } from "./subscriptions.ts";
import { formatMinor } from "./totals.ts";

const SHOWN = 50;

type Request = Context<StandInEnv>;

/** The seller's sales (`/`), and the customer portal: purchases and the card, by links that work for one day. */
export function portalRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/", (c) => c.html(salesPage(paddle), 200, PAGE_HEADERS));
  app.get("/portal/:token", (c) => {
    const customerId = portalCustomer(paddle, c.req.param("token"));
    return customerId === undefined ? expiredPage(c) : c.html(overviewPage(paddle, c, customerId), 200, PAGE_HEADERS);
  });
  const SUBSCRIPTION = "/portal/:token/subscriptions/:id";
  app.get(`${SUBSCRIPTION}/payment-method`, (c) => renderFor(paddle, c, (item) => cardPage(paddle, c, item)));
  app.post(`${SUBSCRIPTION}/payment-method`, (c) =>
    renderFor(paddle, c, (item, form) => submitCard(paddle, c, item, form)),
  );
  app.post(`${SUBSCRIPTION}/challenge`, (c) =>
    renderFor(paddle, c, (item, { attempt = "", answer }) =>
      afterCard(paddle, c, item, answerChallenge(paddle, attempt, answer === "approve")),
    ),
  );
  return app;
}

function expiredPage(c: Request): Response | Promise<Response> {
  const text = "Links to this page work for one day. Go back and open it again.";
  return c.html(errorPage("This link has expired", text), 404, PAGE_HEADERS);
}

/** Renders a page about a subscription of the link's customer. An ApiError becomes an error page. */
async function renderFor(
  paddle: Paddle,
  c: Request,
  pageOf: (subscription: Subscription, form: Record<string, string>) => Markup,
): Promise<Response> {
  const customerId = portalCustomer(paddle, c.req.param("token") ?? "");
  const subscription = paddle.store.state.subscriptions.get(c.req.param("id") ?? "");
  if (subscription === undefined || subscription.customer_id !== customerId) return expiredPage(c);
  const form = c.req.method === "POST" ? Object.fromEntries(new URLSearchParams(await c.req.text())) : {};
  try {
    return await c.html(pageOf(subscription, form), 200, PAGE_HEADERS);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return c.html(errorPage("That didn’t work", error.message), 400, PAGE_HEADERS);
  }
}

const linkTo = (c: Request, { id }: Subscription, what: string): string =>
  `/portal/${c.req.param("token")}/subscriptions/${id}/${what}`;

const nameOf = ({ items }: Subscription): string => items.map(({ product }) => product.name).join(", ");

/** The state of a subscription in a sentence. */
function statusText({ status, scheduled_change, next_billed_at, canceled_at }: Subscription): string {
  if (status === "canceled") return `Ended on ${formatDay(canceled_at)}.`;
  if (status === "paused") return "Paused.";
  if (status === "past_due") return "The last renewal could not be charged. Update the card to pay it.";
  if (scheduled_change !== null) return `Ends on ${formatDay(scheduled_change.effective_at)}.`;
  return `Renews on ${formatDay(next_billed_at)}.`;
}

/** A list of rows, newest first. */
function rows<T>(list: T[], rowOf: (item: T) => Markup): Markup {
  if (list.length === 0) return html`<p class="muted">None yet.</p>`;
  return html`<dl class="bill">${list.toReversed().slice(0, SHOWN).map(rowOf)}</dl>`;
}

function paymentRows(paddle: Paddle, isShown: (transaction: Transaction) => boolean): Markup {
  const all = [...paddle.store.state.transactions.values()];
  const paid = all.filter((item) => item.billed_at !== null && isShown(item));
  return rows(paid, (transaction) => {
    const { details, currency_code, billed_at, status, invoice_id } = transaction;
    const name = details.line_items.map(({ product }) => product.name).join(", ");
    const invoice =
      invoice_id === null ? "" : html` · <a class="link" href="${invoiceUrl(paddle, "", transaction)}">Invoice</a>`;
    return html`<dt>${name}<small>${formatDay(billed_at)}, ${status}${invoice}</small></dt><dd>${formatMinor(details.totals.grand_total, currency_code)}</dd>`;
  });
}

function salesPage(paddle: Paddle): Markup {
  const { subscriptions, customers, notifications } = paddle.store.state;
  const pending = [...notifications.values()].filter(({ status }) => status === "needs_retry").length;
  return buyerPage(
    "Sales",
    html`<h1 class="title">Sales</h1>
<p class="muted">Payments with test cards. Nothing was charged. ${pending === 0 ? "All webhooks were delivered." : `${pending} webhooks are waiting to be delivered.`}</p>
<h2 class="h3 part">Subscriptions</h2>
${rows([...subscriptions.values()], (item) => html`<dt>${nameOf(item)}<small>${customers.get(item.customer_id)?.email}. ${statusText(item)}</small></dt><dd>${item.status}</dd>`)}
<h2 class="h3 part">Payments</h2>
${paymentRows(paddle, () => true)}`,
  );
}

function overviewPage(paddle: Paddle, c: Request, customerId: string): Markup {
  const { customers, subscriptions } = paddle.store.state;
  const own = [...subscriptions.values()].filter(({ customer_id }) => customer_id === customerId);
  const cardLink = (item: Subscription) =>
    item.status === "canceled" ? "" : html`<a class="link" href="${linkTo(c, item, "payment-method")}">Change card</a>`;
  return buyerPage(
    "Your purchases",
    html`<h1 class="title">Your purchases</h1><p class="muted">${customers.get(customerId)?.email}</p>
<h2 class="h3 part">Subscriptions</h2>
${rows(own, (item) => html`<dt>${nameOf(item)}<small>${statusText(item)}</small></dt><dd>${cardLink(item)}</dd>`)}
<h2 class="h3 part">Payments</h2>
${paymentRows(paddle, ({ customer_id }) => customer_id === customerId)}`,
  );
}

/** The form to change the card; it also pays what is past due. */
function cardPage(paddle: Paddle, c: Request, subscription: Subscription, form: CardForm = {}): Markup {
  const pastDue = pastDueOf(paddle, subscription);
  const due = pastDue && formatMinor(pastDue.details.totals.balance, pastDue.currency_code);
  return buyerPage(
    "Change card",
    html`<h1 class="title">Change card</h1><p class="muted">${nameOf(subscription)}</p>
${due === undefined ? "" : html`<p class="note-failed">${due} could not be charged. Saving a new card pays it right away.</p>`}
${form.problem === undefined ? "" : html`<p class="note-failed" role="alert">${form.problem}</p>`}
<form class="fields stack" method="post" action="${linkTo(c, subscription, "payment-method")}" novalidate>
${cardFields(form)}
<button class="btn btn-1">${due === undefined ? "Save card" : `Pay ${due}`}</button></form>
<p class="muted small foot">Test cards: 4242 4242 4242 4242 works, 4000 0038 0000 0446 asks for confirmation, 4000 0000 0000 0002 is declined, 4000 0027 6000 3184 fails on renewal. Use any future date and code 100.</p>${back(c)}`,
  );
}

function submitCard(paddle: Paddle, c: Request, subscription: Subscription, form: Record<string, string>): Markup {
  const read = readCard(form);
  if ("errors" in read) return cardPage(paddle, c, subscription, read);
  return afterCard(paddle, c, subscription, changePaymentMethod(paddle, subscription.id, read.card));
}

function afterCard(paddle: Paddle, c: Request, subscription: Subscription, outcome: PayOutcome): Markup {
  if (outcome.outcome === "declined") {
    return cardPage(paddle, c, subscription, { problem: declineText(outcome.errorCode) });
  }
  if (outcome.outcome === "challenge") {
    return buyerPage(
      "Confirm with your bank",
      html`<h1 class="title">Confirm with your bank</h1><p class="muted">Allow Paddle sandbox to save this card?</p>
<form class="stack" method="post" action="${linkTo(c, subscription, "challenge")}">${bankButtons(outcome.attemptId)}</form>`,
    );
  }
  const isPaid = Number(outcome.transaction.details.totals.grand_total) > 0;
  const text = isPaid ? "Your balance is paid, and renewals will use this card." : "Renewals will use this card.";
  return buyerPage(
    "Card saved",
    html`<h1 class="title">Card saved</h1><p class="note-done" role="status">${text}</p>${back(c)}`,
  );
}

function back(c: Request): Markup {
  return html`<p class="foot"><a class="link" href="/portal/${c.req.param("token")}">All purchases</a></p>`;
}
