import { readFileSync } from "node:fs";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { isSimulating } from "../kit/faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { type Markup, page, serveFile } from "../kit/ui/page.ts";
import { TEST_CARDS } from "./cards.ts";
import { type PricingRequest, previewPrices } from "./catalog.ts";
import { answerChallenge, type CheckoutInput, type PayOutcome, pay, setBuyer, startCheckout } from "./checkout.ts";
import {
  ApiError,
  assertValid,
  errorResponse,
  findOrThrow,
  invalidField,
  notSupported,
  readJson,
  respond,
} from "./http.ts";
import type { Transaction } from "./model.ts";
import {
  buyerPanel,
  type CheckoutEvent,
  cardPanel,
  challengePanel,
  declineText,
  donePanel,
  eventOf,
  readCard,
} from "./panels.ts";
import type { Paddle } from "./state.ts";

/** The frame only uses its own scripts and styles, and can be embedded in any page, like the real one. */
const FRAME_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** The script that pages load (`/paddle.js`), the frame it opens (`/checkout/frame`), and their endpoints. */
export function overlayRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  const fresh = { "cache-control": "no-store" };
  // Pages of other origins load it, including those that require this header.
  const crossOrigin = { ...fresh, "cross-origin-resource-policy": "cross-origin" };
  serveFile(app, "/paddle.js", new URL("paddle.js", import.meta.url), crossOrigin);
  serveFile(app, "/checkout/frame.js", new URL("frame.js", import.meta.url), fresh);
  serveFile(app, "/checkout/checkout.css", new URL("styles/checkout.css", import.meta.url));
  app.get("/checkout/theme.css", (c) => {
    return c.body(themeSheet(c.req.query("theme")), 200, { "content-type": "text/css; charset=utf-8" });
  });
  app.get("/checkout/frame", (c) => c.html(framePage(c.req.query("theme")), 200, FRAME_HEADERS));
  app.route("/checkout", previewRoutes(paddle));
  checkoutRoutes(paddle, app);
  return app;
}

const DARK = "@media (prefers-color-scheme: dark) {";

/** The design tokens of one theme. A checkout is light unless its page asks for dark, whatever the system prefers. */
function themeSheet(theme: string | undefined): string {
  const tokens = readFileSync(new URL("../kit/ui/tokens.css", import.meta.url), "utf8");
  const at = tokens.indexOf(DARK);
  if (at < 0) throw new Error("The tokens have no dark part");
  return theme === "dark" ? tokens.slice(at + DARK.length, tokens.lastIndexOf("}")) : tokens.slice(0, at);
}

function framePage(theme: string | undefined): Markup {
  return page({
    title: "Checkout: Paddle sandbox",
    styles: [`/checkout/theme.css?theme=${theme === "dark" ? "dark" : "light"}`, "/checkout/checkout.css"],
    body: html`
<main class="veil">
  <div class="checkout" role="dialog" aria-modal="true" aria-label="Checkout">
    <p class="from">Paddle sandbox <span class="chip">Stand-in</span></p>
    <button class="close" id="close" type="button" aria-label="Close checkout">×</button>
    <div id="panel" aria-live="polite"><h1 tabindex="-1">Checkout</h1><p class="muted">One moment…</p></div>
  </div>
</main>
<template id="problem">
  <h1 tabindex="-1">Something went wrong</h1>
  <p class="note-failed" role="alert" data-detail></p>
  <div class="stack">
    <button class="btn btn-1" type="button" data-retry>Try again</button>
    <button class="btn btn-2" type="button" data-close>Close</button>
  </div>
</template>
<script src="/checkout/frame.js" type="module"></script>`,
  });
}

/** `Paddle.PricePreview`, called from the seller's page, whose origin may read it. */
function previewRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.use("/pricing-preview", async (c, next) => {
    await next();
    c.res.headers.set("access-control-allow-origin", "*");
  });
  app.post("/pricing-preview", async (c) => {
    const { token, request } = await readFields(c);
    assertToken(paddle, token);
    // Same description as the API's own call.
    assertValid(paddle, "POST", "/pricing-preview", { path: {}, query: {}, body: request });
    const unsupported = Object.keys(Object(request)).find((field) => field !== "items");
    if (unsupported !== undefined) throw notSupported(`PricePreview with ${unsupported}`);
    return respond(c, previewPrices(paddle, request as PricingRequest));
  });
  app.onError(errorResponse);
  return app;
}

type Fields = Record<string, unknown>;

const fieldsIn = (value: unknown): Fields => (Array.isArray(value) ? {} : { ...Object(value) });
const readFields = async (c: Context<StandInEnv>): Promise<Fields> => fieldsIn(await readJson(c));
const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** @throws ApiError 403 for a token of another seller */
function assertToken({ clientToken }: Paddle, token: unknown): void {
  if (token !== clientToken) throw new ApiError("forbidden");
}

/** Reads what a checkout was opened with. @throws ApiError for invalid input */
function readCheckoutInput(value: unknown): CheckoutInput {
  const { items, transaction_id, customer, custom_data } = fieldsIn(value);
  const { email, ...others } = fieldsIn(customer);
  const [unsupported] = Object.keys(others);
  if (unsupported !== undefined) throw notSupported(`A checkout for a customer with ${unsupported}`);
  return {
    ...(textOf(transaction_id) === "" ? { items: readItems(items) } : { transactionId: textOf(transaction_id) }),
    ...(textOf(email) !== "" && { buyer: { email: textOf(email) } }),
    customData: custom_data === null || custom_data === undefined ? null : fieldsIn(custom_data),
  };
}

function readItems(items: unknown): { priceId: string; quantity: number }[] {
  if (!Array.isArray(items)) throw invalidField("items", "must be a list");
  return items.map((item: unknown) => {
    const { price_id, quantity = 1 } = fieldsIn(item);
    if (!Number.isInteger(quantity)) throw invalidField("items.quantity", "must be a whole number");
    return { priceId: textOf(price_id), quantity: Number(quantity) };
  });
}

/** The response to the frame: what to show, and the events for the embedding page. */
interface Step {
  panel?: Markup;
  events: CheckoutEvent[];
  close?: true;
}

/** `POST /checkout/open`, then `/checkout/ID/buyer|pay|challenge|view`: all return `{html, events, close}`. */
function checkoutRoutes(paddle: Paddle, app: Hono<StandInEnv>): void {
  app.post("/checkout/open", async (c) => {
    const { token, order } = await readFields(c);
    assertToken(paddle, token);
    const transaction = startCheckout(paddle, readCheckoutInput(order));
    const events = transaction.customer_id === null ? ["loaded"] : ["loaded", "customer.created"];
    return respondStep(c, open(paddle, transaction, ...events));
  });
  const step = (name: string, action: (c: Context<StandInEnv>, transaction: Transaction, fields: Fields) => Step) =>
    app.post(`/checkout/:id/${name}`, async (c) => {
      const id = c.req.param("id").replace("che_", "txn_");
      const transaction = findOrThrow(paddle.store.state.transactions, "transaction", id);
      // A repeated click, or a retry after a lost response.
      const isPaid = transaction.status === "completed";
      return respondStep(c, isPaid ? done(paddle, transaction) : action(c, transaction, await readFields(c)));
    });
  step("buyer", (_, transaction, fields) => identify(paddle, transaction, fields));
  step("pay", (c, transaction, fields) => payStep(paddle, c, transaction, fields));
  step("challenge", (_, transaction, { attempt, answer: choice }) =>
    afterPaying(paddle, transaction, answerChallenge(paddle, textOf(attempt), choice === "approve")),
  );
  step("view", (_, transaction) => open(paddle, transaction));
}

async function respondStep(c: Context<StandInEnv>, { panel, events, close }: Step): Promise<Response> {
  return c.json({ ...(panel !== undefined && { html: String(await panel) }), events, close });
}

function open(paddle: Paddle, transaction: Transaction, ...events: string[]): Step {
  const panel = transaction.customer_id === null ? buyerPanel(paddle, transaction) : cardPanel(paddle, transaction);
  return { panel, events: events.map((name) => eventOf(paddle, name, transaction)) };
}

function done(paddle: Paddle, transaction: Transaction): Step {
  return { panel: donePanel(paddle, transaction), events: [eventOf(paddle, "completed", transaction)] };
}

function identify(paddle: Paddle, transaction: Transaction, fields: Fields): Step {
  const email = textOf(fields.email);
  if (!/^\S+@\S+\.\S+$/.test(email)) {
    return { panel: buyerPanel(paddle, transaction, "Enter an email like name@example.com", email), events: [] };
  }
  const known = setBuyer(paddle, transaction.id, { email, countryCode: textOf(fields.country) });
  return open(paddle, known, "customer.created");
}

function payStep(paddle: Paddle, c: Context<StandInEnv>, transaction: Transaction, fields: Fields): Step {
  const read = readCard(fields);
  if ("errors" in read) return { panel: cardPanel(paddle, transaction, read), events: [] };
  if (isSimulating(c, "checkout-completed-unpaid")) return done(paddle, { ...transaction, status: "completed" });
  const number = isSimulating(c, "checkout-declined") ? TEST_CARDS["is declined"] : read.card.number;
  const outcome = pay(paddle, transaction.id, { ...read.card, number });
  const step = afterPaying(paddle, transaction, outcome);
  if (outcome.outcome !== "completed") return step;
  if (isSimulating(c, "checkout-closes-itself")) return { events: [], close: true };
  return isSimulating(c, "checkout-completed-forged") ? { ...step, events: step.events.map(forge) } : step;
}

function afterPaying(paddle: Paddle, before: Transaction, outcome: PayOutcome): Step {
  if (outcome.outcome === "challenge") return { panel: challengePanel(before, outcome.attemptId), events: [] };
  if (outcome.outcome === "completed") return done(paddle, outcome.transaction);
  const { transaction, errorCode } = outcome;
  const panel = cardPanel(paddle, transaction, { problem: declineText(errorCode) });
  return { panel, events: [eventOf(paddle, "payment.failed", transaction)] };
}

const OTHER_ID = "0".repeat(26);
const FORGED_AMOUNT = 1_000_000;

/** A forged event that claims more than was paid for. The transaction's id is the real one. */
function forge({ name, data }: CheckoutEvent): CheckoutEvent {
  const claimed = { subtotal: FORGED_AMOUNT, total: FORGED_AMOUNT };
  const items = data.items.map((item) => ({
    ...item,
    price_id: `pri_${OTHER_ID}`,
    product: { ...item.product, id: `pro_${OTHER_ID}` },
    quantity: FORGED_AMOUNT,
    totals: { ...item.totals, ...claimed },
  }));
  const custom_data = {
    ...data.custom_data,
    credits: FORGED_AMOUNT,
    plan_id: "pro",
    plan_type: "pro",
    user_id: "usr_forged",
  };
  const totals = { ...data.totals, ...claimed };
  return { name, data: { ...data, items, totals, product_id: `pro_${OTHER_ID}`, custom_data } };
}
