import { html } from "hono/html";
import type { Markup } from "../../kit/look/page.ts";
import type { Paddle } from "../context.ts";
import { buyerPage } from "./pages.ts";
import { nameOf, outlook, paymentRow } from "./portal-page.ts";

const SHOWN = 50;

/** What was sold here, newest first: the seller's own view, as far as it is of use on one machine. */
export function homePage(paddle: Paddle): Markup {
  const { subscriptions, transactions, customers, notifications } = paddle.store.state;
  const emailOf = (id: string | null) => customers.get(id ?? "")?.email ?? "";
  const latest = [...subscriptions.values()].reverse().slice(0, SHOWN);
  const paid = [...transactions.values()].filter(({ billed_at }) => billed_at !== null).reverse();
  const waiting = [...notifications.values()].filter(({ status }) => status === "needs_retry").length;
  return buyerPage(
    "Sales",
    html`<h1 class="title">Sales</h1>
<p class="muted">Payments by test card, none of them charged. ${waiting === 0 ? "Every webhook was taken." : `${waiting} webhooks wait to be taken.`}</p>
<h2 class="h3 part">Subscriptions</h2>
${latest.length === 0 ? html`<p class="muted">None yet.</p>` : html`<dl class="bill">${latest.map((one) => html`<dt>${nameOf(one)}<small>${emailOf(one.customer_id)}. ${outlook(one)}</small></dt><dd>${one.status}</dd>`)}</dl>`}
<h2 class="h3 part">Payments</h2>
${paid.length === 0 ? html`<p class="muted">None yet.</p>` : html`<dl class="bill">${paid.slice(0, SHOWN).map((one) => paymentRow(paddle, one))}</dl>`}`,
  );
}
