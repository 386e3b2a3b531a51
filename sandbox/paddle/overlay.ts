import { readFileSync } from "node:fs";
import type { Context, Hono } from "hono";
import { html } from "hono/html";
import { isPlaying } from "../kit/apply-faults.ts";
import { type Markup, page, readStyle } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { TEST_CARDS } from "./cards.ts";
import { type PricingRequest, previewPrices } from "./catalogue.ts";
import { answerChallenge, type CheckoutOrder, identifyBuyer, type PayOutcome, pay, startCheckout } from "./checkout.ts";
import { answer, answerError, assertFits, found, invalidField, notPart, RefusedError, readJson } from "./http.ts";
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

const SCRIPT = { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" };
const CSS = { "content-type": "text/css; charset=utf-8" };
/** The frame uses its own scripts and styles alone, and may stand in any page, as the real one in the seller's. */
const FRAME_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors *",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** The script that pages load (`/paddle.js`), the frame it opens (`/checkout/frame`), and what both ask for. */
export function overlayRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  const [script, frameScript] = [readScript("paddle.js"), readScript("frame.js")];
  const css = readStyle(new URL("look/checkout.css", import.meta.url));
  // Pages of other origins load it, also those that ask to be told so.
  app.get("/paddle.js", (c) => c.body(script, 200, { ...SCRIPT, "cross-origin-resource-policy": "cross-origin" }));
  app.get("/checkout/frame.js", (c) => c.body(frameScript, 200, SCRIPT));
  app.get("/checkout/checkout.css", (c) => c.body(css, 200, CSS));
  app.get("/checkout/theme.css", (c) => c.body(themeSheet(c.req.query("theme")), 200, CSS));
  app.get("/checkout/frame", (c) => c.html(framePage(c.req.query("theme")), 200, FRAME_HEADERS));
  app.route("/checkout", previewRoutes(paddle));
  checkoutRoutes(paddle, app);
  return app;
}

function readScript(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8");
}

const DARK = "@media (prefers-color-scheme: dark) {";

/** The tokens of one theme: a checkout is light unless its page asks otherwise, whatever the system prefers. */
function themeSheet(theme: string | undefined): string {
  const tokens = readStyle(new URL("../kit/look/tokens.css", import.meta.url));
  const at = tokens.indexOf(DARK);
  if (at < 0) throw new Error("The tokens have no dark part");
  return theme === "dark" ? tokens.slice(at + DARK.length, tokens.lastIndexOf("}")) : tokens.slice(0, at);
}

/** The empty checkout. Its script fills it once the page around has said what is bought. */
function framePage(theme: string | undefined): Markup {
  return page({
    title: "Checkout: Paddle sandbox",
    styles: [`/checkout/theme.css?theme=${theme === "dark" ? "dark" : "light"}`, "/checkout/checkout.css"],
    body: html`
<main class="veil">
  <div class="checkout" role="dialog" aria-modal="true" aria-label="Checkout">
    <p class="from">Paddle sandbox <span class="chip">Stand-in</span></p>
    <button class="close" id="close" type="button" aria-label="Close checkout">×</button>
    <div id="panel" aria-live="polite"><h1 tabindex="-1">Checkout</h1><p class="muted">One moment …</p></div>
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

/** `Paddle.PricePreview`: asked from the seller's page, so its origin may read it. */
function previewRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.use("/pricing-preview", async (c, next) => {
    await next();
    c.res.headers.set("access-control-allow-origin", "*");
  });
  app.post("/pricing-preview", async (c) => {
    const { token, request } = await readFields(c);
    assertToken(paddle, token);
    // The same description holds as for the API's own call.
    assertFits(paddle, "POST", "/pricing-preview", { path: {}, query: {}, body: request });
    const strange = Object.keys(Object(request)).find((field) => field !== "items");
    if (strange !== undefined) throw notPart(`PricePreview with ${strange}`);
    return answer(c, previewPrices(paddle, request as PricingRequest));
  });
  app.onError(answerError);
  return app;
}

/** Fields as a browser sent them. */
type Fields = Record<string, unknown>;

const fieldsIn = (value: unknown): Fields => (Array.isArray(value) ? {} : { ...Object(value) });
const readFields = async (c: Context<StandInEnv>): Promise<Fields> => fieldsIn(await readJson(c));
const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** @throws RefusedError 403 for a token that is not this seller's */
function assertToken({ clientToken }: Paddle, token: unknown): void {
  if (token !== clientToken) throw new RefusedError("forbidden");
}

/** What a checkout was opened with. @throws RefusedError for what cannot be read */
function readOrder(value: unknown): CheckoutOrder {
  const { items, transaction_id, customer, custom_data } = fieldsIn(value);
  const { email, ...others } = fieldsIn(customer);
  const [strange] = Object.keys(others);
  if (strange !== undefined) throw notPart(`A checkout for a customer with ${strange}`);
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

/** What the frame gets: what to show, and the events for the page around it. */
interface Step {
  panel?: Markup;
  events: CheckoutEvent[];
  close?: true;
}

/** `POST /checkout/open`, then `/checkout/ID/buyer|pay|challenge|view`: all answer `{html, events, close}`. */
function checkoutRoutes(paddle: Paddle, app: Hono<StandInEnv>): void {
  app.post("/checkout/open", async (c) => {
    const { token, order } = await readFields(c);
    assertToken(paddle, token);
    const transaction = startCheckout(paddle, readOrder(order));
    const events = transaction.customer_id === null ? ["loaded"] : ["loaded", "customer.created"];
    return answerStep(c, open(paddle, transaction, ...events));
  });
  const step = (name: string, act: (c: Context<StandInEnv>, transaction: Transaction, fields: Fields) => Step) =>
    app.post(`/checkout/:id/${name}`, async (c) => {
      const id = c.req.param("id").replace("che_", "txn_");
      const transaction = found(paddle.store.state.transactions, "transaction", id);
      // Pressed twice, or asked again after an answer was lost.
      const isPaid = transaction.status === "completed";
      return answerStep(c, isPaid ? done(paddle, transaction) : act(c, transaction, await readFields(c)));
    });
  step("buyer", (_, transaction, fields) => identify(paddle, transaction, fields));
  step("pay", (c, transaction, fields) => payStep(paddle, c, transaction, fields));
  step("challenge", (_, transaction, { attempt, answer: word }) =>
    afterPaying(paddle, transaction, answerChallenge(paddle, textOf(attempt), word === "approve")),
  );
  step("view", (_, transaction) => open(paddle, transaction));
}

async function answerStep(c: Context<StandInEnv>, { panel, events, close }: Step): Promise<Response> {
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
    return { panel: buyerPanel(paddle, transaction, "An address like name@example.com", email), events: [] };
  }
  const known = identifyBuyer(paddle, transaction.id, { email, countryCode: textOf(fields.country) });
  return open(paddle, known, "customer.created");
}

/** Pays, and plays what faults ask for. */
function payStep(paddle: Paddle, c: Context<StandInEnv>, transaction: Transaction, fields: Fields): Step {
  const read = readCard(fields);
  if ("faults" in read) return { panel: cardPanel(paddle, transaction, read), events: [] };
  if (isPlaying(c, "unpaid")) return done(paddle, { ...transaction, status: "completed" });
  const number = isPlaying(c, "declined") ? TEST_CARDS["is declined"] : read.card.number;
  const outcome = pay(paddle, transaction.id, { ...read.card, number });
  const step = afterPaying(paddle, transaction, outcome);
  if (outcome.outcome !== "completed") return step;
  if (isPlaying(c, "closes")) return { events: [], close: true };
  return isPlaying(c, "forged") ? { ...step, events: step.events.map(forge) } : step;
}

function afterPaying(paddle: Paddle, before: Transaction, outcome: PayOutcome): Step {
  if (outcome.outcome === "challenge") return { panel: challengePanel(before, outcome.attemptId), events: [] };
  if (outcome.outcome === "completed") return done(paddle, outcome.transaction);
  const { transaction, errorCode } = outcome;
  const panel = cardPanel(paddle, transaction, { problem: declineText(errorCode) });
  return { panel, events: [eventOf(paddle, "payment.failed", transaction)] };
}

const OTHER_ID = "0".repeat(26);
const MUCH = 1_000_000;

/** An event of somebody who claims more than was paid for. The transaction's id stays the true one. */
function forge({ name, data }: CheckoutEvent): CheckoutEvent {
  const claimed = { subtotal: MUCH, total: MUCH };
  const items = data.items.map((item) => ({
    ...item,
    price_id: `pri_${OTHER_ID}`,
    product: { ...item.product, id: `pro_${OTHER_ID}` },
    quantity: MUCH,
    totals: { ...item.totals, ...claimed },
  }));
  const custom_data = { ...data.custom_data, credits: MUCH, plan_id: "pro", plan_type: "pro", user_id: "usr_forged" };
  const totals = { ...data.totals, ...claimed };
  return { name, data: { ...data, items, totals, product_id: `pro_${OTHER_ID}`, custom_data } };
}
