import type { Context, Hono } from "hono";
import { type Markup, PAGE_HEADERS } from "../../kit/look/page.ts";
import { createApp, type StandInEnv } from "../../kit/serve.ts";
import { answerChallenge, type PayOutcome } from "../checkout/pay.ts";
import type { Paddle } from "../context.ts";
import type { Subscription, Transaction } from "../model.ts";
import { findPortalSession } from "../portal-session.ts";
import { RefusedError } from "../refusals.ts";
import { cancelSubscription, dropScheduledChange } from "../subscriptions/cancel-subscription.ts";
import { changePaymentMethod } from "../subscriptions/payment-method.ts";
import { declineText, readCard, readFields } from "./card-form.ts";
import { day } from "./pages.ts";
import { bankPage, cancelPage, cardPage, deadPage, donePage, overviewPage, type PortalView } from "./portal-page.ts";

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
