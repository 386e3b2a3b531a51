import { readFileSync } from "node:fs";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { type Markup, PAGE_HEADERS, readStyle } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { invoiceRoutes } from "./invoices.ts";
import { assertToken, checkoutRoutes, readBody } from "./overlay-checkout.ts";
import { buyerPage, FRAME_HEADERS, framePage, readTheme, themeSheet } from "./overlay-pages.ts";
import { nameOf, outlook, paymentRow, portalRoutes } from "./portal.ts";
import { assertCurrency, type PricingRequest, previewPrices, previewTransaction } from "./pricing.ts";
import { invalidFields } from "./refusals.ts";
import { answer, answerError, type Paddle } from "./respond.ts";

const SHOWN = 50;

/** What was sold here, newest first: the seller's own view, as far as it is of use on one machine. */
function homePage(paddle: Paddle): Markup {
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

/** `Paddle.PricePreview` and `Paddle.TransactionPreview`: asked from the seller's page, so its origin may read it. */
function previewRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.use("/checkout/pricing-preview", readable);
  app.use("/checkout/transaction-preview", readable);
  app.post("/checkout/pricing-preview", async (c) =>
    answer(c, previewPrices(paddle, await readPreview(paddle, c, "/pricing-preview"))),
  );
  app.post("/checkout/transaction-preview", async (c) =>
    answer(c, previewTransaction(paddle, await readPreview(paddle, c, "/transactions/preview"))),
  );
  app.onError(answerError);
  return app;
}

async function readable(c: Context<StandInEnv>, next: () => Promise<void>): Promise<void> {
  await next();
  c.res.headers.set("access-control-allow-origin", "*");
}

/** The same description holds as for the API's own call. @throws RefusedError for what does not fit it */
async function readPreview(paddle: Paddle, c: Context<StandInEnv>, path: string): Promise<PricingRequest> {
  const { token, request } = await readBody(c);
  assertToken(paddle, token);
  const result = paddle.spec.check("POST", path, { path: {}, query: {}, body: request });
  if (!result.ok) throw invalidFields(result.errors);
  // The description has just been checked.
  const checked = request as PricingRequest;
  assertCurrency(checked.currency_code);
  return checked;
}

const CSS = "text/css; charset=utf-8";
const SCRIPT = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" };

/**
 * What people see: an overview of what was sold (`/`), the script that pages load (`/paddle.js`), the checkout that it opens (`/checkout/*`), the customer
 * portal (`/portal/*`) and invoices (`/invoices/*`).
 */
export function overlayRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  const script = readScript("paddle.js");
  const frameScript = readScript("frame.js");
  const css = readStyle(new URL("look/checkout.css", import.meta.url));
  // Pages of other origins load it, also those that ask to be told so.
  app.get("/paddle.js", (c) => c.body(script, 200, { ...SCRIPT, "cross-origin-resource-policy": "cross-origin" }));
  app.get("/checkout/frame.js", (c) => c.body(frameScript, 200, SCRIPT));
  app.get("/checkout/checkout.css", (c) => c.body(css, 200, { "content-type": CSS }));
  app.get("/checkout/theme.css", (c) => {
    return c.body(themeSheet(readTheme(c.req.query("theme"))), 200, { "content-type": CSS });
  });
  app.get("/checkout/frame", (c) => c.html(framePage(readTheme(c.req.query("theme"))), 200, FRAME_HEADERS));
  app.get("/", (c) => c.html(homePage(paddle), 200, PAGE_HEADERS));
  app.route("/", checkoutRoutes(paddle));
  app.route("/", previewRoutes(paddle));
  app.route("/", portalRoutes(paddle));
  app.route("/", invoiceRoutes(paddle));
  return app;
}

function readScript(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}
