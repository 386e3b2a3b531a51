import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { type Markup, PAGE_HEADERS } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { answerChallenge, type PayOutcome } from "./checkout.ts";
import { findPortalSession } from "./customers.ts";
import type { Subscription, Transaction } from "./model.ts";
import { buyerPage, day } from "./overlay-pages.ts";
import { type CardFaults, type CardFields, cardFields, declineText, readCard, readFields } from "./overlay-panels.ts";
import { RefusedError } from "./refusals.ts";
import type { Paddle } from "./respond.ts";
import { cancelSubscription, dropScheduledChange } from "./subscription-billing.ts";
import { changePaymentMethod } from "./subscriptions.ts";
import { formatMinor } from "./time.ts";
import { invoiceUrl } from "./transactions.ts";

const SHOWN_PAYMENTS = 50;

/** Where the links of one session lead. */
interface PortalView {
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
function overviewPage({ paddle, token, customerId }: PortalView): Markup {
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
function cardPage(
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
function bankPage({ token }: PortalView, { id }: Subscription, attemptId: string): Markup {
  return buyerPage(
    "Your bank asks",
    html`<h1 class="title">Your bank asks</h1><p class="muted">Is it you who gives this card to Paddle sandbox?</p>
<form class="stack" method="post" action="${linkTo(token, id, "challenge")}"><input type="hidden" name="attempt" value="${attemptId}">
<button class="btn btn-1" name="answer" value="approve">Approve</button><button class="btn btn-2" name="answer" value="refuse">Refuse</button></form>`,
  );
}

/** Asks whether to end a subscription, or to keep one that is to end. */
function cancelPage({ token }: PortalView, subscription: Subscription): Markup {
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
function donePage({ token }: PortalView, title: string, text: string): Markup {
  return buyerPage(
    title,
    html`<h1 class="title">${title}</h1><p class="note-done" role="status">${text}</p>${back(token)}`,
  );
}

/** What cannot be shown, and why. */
export function deadPage(title: string, text: string): Markup {
  return buyerPage(title, html`<h1 class="title">${title}</h1><p class="note-failed" role="alert">${text}</p>`);
}

type Request = Context<StandInEnv>;
/** A page for one subscription of the session's customer. */
type Show = (view: PortalView, subscription: Subscription, form: Record<string, string>) => Markup;

/** The customer portal: what somebody has, another card, cancel and undo. All by links that live for a day. */
export function portalRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/portal/:token", (c) => {
    const view = viewOf(paddle, c);
    return view === undefined ? dead(c) : c.html(overviewPage(view), 200, PAGE_HEADERS);
  });
  const at = (what: string) => `/portal/:token/subscriptions/:id/${what}`;
  app.get(at("payment-method"), (c) => shown(paddle, c, (view, one) => cardPage(view, one, pastDueOf(paddle, one))));
  app.post(at("payment-method"), (c) => shown(paddle, c, (view, one, form) => giveCard(view, one, form)));
  app.post(at("challenge"), (c) =>
    shown(paddle, c, (view, one, { attempt = "", answer }) =>
      afterCard(view, one, answerChallenge(paddle, attempt, answer === "approve")),
    ),
  );
  app.get(at("cancel"), (c) => shown(paddle, c, cancelPage));
  app.post(at("cancel"), (c) => shown(paddle, c, (view, { id }) => cancel(view, id)));
  app.post(at("keep"), (c) => shown(paddle, c, (view, { id }) => keep(view, id)));
  return app;
}

function viewOf(paddle: Paddle, c: Request): PortalView | undefined {
  const session = findPortalSession(paddle, c.req.param("token") ?? "");
  return session && { paddle, token: session.token, customerId: session.customerId };
}

function dead(c: Request): Response | Promise<Response> {
  const page = deadPage("This link is over", "Links to this page live for a day. Go back and open it again.");
  return c.html(page, 404, PAGE_HEADERS);
}

/** Shows a page about a subscription that is the session's customer's; a refusal becomes a page, too. */
async function shown(paddle: Paddle, c: Request, show: Show): Promise<Response> {
  const view = viewOf(paddle, c);
  const subscription = paddle.store.state.subscriptions.get(c.req.param("id") ?? "");
  if (view === undefined || subscription?.customer_id !== view.customerId) return dead(c);
  const form = c.req.method === "POST" ? Object.fromEntries(new URLSearchParams(await c.req.text())) : {};
  try {
    return await c.html(show(view, subscription, form), 200, PAGE_HEADERS);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return c.html(deadPage("This cannot be done", error.refusal.detail), 400, PAGE_HEADERS);
  }
}

function pastDueOf({ store }: Paddle, { id }: Subscription): Transaction | undefined {
  return store.state.transactions.get(store.state.secrets.get(id)?.dunning?.transactionId ?? "");
}

function giveCard(view: PortalView, subscription: Subscription, form: Record<string, string>): Markup {
  const fields = readFields(form);
  const read = readCard(fields);
  const { faults } = "faults" in read ? read : { faults: undefined };
  if (faults || !("card" in read)) {
    return cardPage(view, subscription, pastDueOf(view.paddle, subscription), { fields, ...(faults && { faults }) });
  }
  return afterCard(view, subscription, changePaymentMethod(view.paddle, subscription.id, read.card));
}

function afterCard(view: PortalView, subscription: Subscription, outcome: PayOutcome): Markup {
  if (outcome.outcome === "challenge") return bankPage(view, subscription, outcome.attemptId);
  if (outcome.outcome === "declined") {
    const problem = declineText(outcome.errorCode);
    return cardPage(view, subscription, pastDueOf(view.paddle, subscription), { problem });
  }
  const isPaid = Number(outcome.transaction.details.totals.grand_total) > 0;
  return donePage(
    view,
    "Card saved",
    isPaid ? "What was open is paid, and renewals use this card." : "Renewals use it.",
  );
}

function cancel(view: PortalView, id: string): Markup {
  const { scheduled_change, canceled_at } = cancelSubscription(view.paddle, id, "next_billing_period");
  return donePage(view, "Canceled", `It ends on ${day(scheduled_change?.effective_at ?? canceled_at)}.`);
}

function keep(view: PortalView, id: string): Markup {
  const { next_billed_at } = dropScheduledChange(view.paddle, id);
  return donePage(view, "Kept", `It renews on ${day(next_billed_at)}.`);
}
