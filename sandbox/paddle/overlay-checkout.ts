import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import type { Markup } from "../kit/look/page.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import {
  answerChallenge,
  type CheckoutOrder,
  changeItems,
  identifyBuyer,
  type PayOutcome,
  pay,
  startCheckout,
} from "./checkout.ts";
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
  readFields,
  transactionIdOf,
} from "./overlay-panels.ts";
import { invalidField, REFUSALS, RefusedError } from "./refusals.ts";
import type { Paddle } from "./respond.ts";
import { findTransaction } from "./transactions.ts";

/** Fields as a browser sent them. */
type Body = Record<string, unknown>;

/** The text of a field; anything else is none. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** The fields of a request. @throws RefusedError when there are none */
export async function readBody(c: Context<StandInEnv>): Promise<Body> {
  try {
    const value: unknown = JSON.parse(await c.req.text());
    return fieldsOf(value);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RefusedError(REFUSALS.notJson);
    throw error;
  }
}

/** @throws RefusedError 403 for a token that is not this seller's */
export function assertToken({ clientToken }: Paddle, token: unknown): void {
  if (token !== clientToken) throw new RefusedError(REFUSALS.forbidden);
}

/** What a checkout was opened with. @throws RefusedError for what cannot be read */
function readOrder(value: unknown): CheckoutOrder {
  const { items, transaction_id, customer, custom_data } = fieldsOf(value);
  const { id, email, address } = fieldsOf(customer);
  const place = fieldsOf(address);
  const transactionId = textOf(transaction_id);
  return {
    ...(transactionId !== "" ? { transactionId } : { items: readItems(items) }),
    ...(textOf(email) !== "" && { customer: { email: textOf(email) } }),
    ...(textOf(id) !== "" && { customer: { id: textOf(id) } }),
    ...(textOf(place.countryCode) !== "" && {
      address: { countryCode: textOf(place.countryCode), postalCode: textOf(place.postalCode) },
    }),
    customData: custom_data === null || custom_data === undefined ? null : fieldsOf(custom_data),
  };
}

function readItems(items: unknown): { priceId: string; quantity: number }[] {
  if (!Array.isArray(items)) throw invalidField("items", "must be a list");
  return items.map((item: unknown) => {
    const { price_id, quantity = 1 } = fieldsOf(item);
    if (!Number.isInteger(quantity)) throw invalidField("items.quantity", "must be a whole number");
    return { priceId: textOf(price_id), quantity: Number(quantity) };
  });
}

function fieldsOf(value: unknown): Body {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const OTHER_PRICE = `pri_${"0".repeat(26)}`;
const OTHER_PRODUCT = `pro_${"0".repeat(26)}`;
const MUCH = 1_000_000;

/** An event as somebody would write it who wants more than was paid for. The transaction's id stays the true one. */
function forge({ name, data }: CheckoutEvent): CheckoutEvent {
  const totals = { ...data.totals, subtotal: MUCH, total: MUCH };
  const items = data.items.map((item) => ({
    ...item,
    price_id: OTHER_PRICE,
    product: { ...item.product, id: OTHER_PRODUCT },
    quantity: MUCH,
    totals: { ...item.totals, subtotal: MUCH, total: MUCH },
  }));
  const custom_data = { ...data.custom_data, credits: MUCH, plan_id: "pro", plan_type: "pro", user_id: "usr_forged" };
  return { name, data: { ...data, items, totals, product_id: OTHER_PRODUCT, custom_data } };
}

/** What the frame gets: what to show, and what to tell the page around it. */
interface Step {
  panel?: Markup;
  events: CheckoutEvent[];
  close?: true;
}

const DECLINED_NUMBER = "4000000000000002";

/** `POST /checkout/open`, then `/checkout/ID/items|buyer|pay|challenge|view`: all answer `{html, events, close}`. */
export function checkoutRoutes(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.post("/checkout/open", async (c) => {
    const body = await readBody(c);
    assertToken(paddle, body.token);
    const transaction = startCheckout(paddle, readOrder(body.order));
    const isKnown = transaction.customer_id !== null;
    const events = [eventOf(paddle, "loaded", transaction)];
    if (isKnown) events.push(eventOf(paddle, "customer.created", transaction));
    return answer(c, { panel: panelOf(paddle, transaction), events });
  });
  app.post("/checkout/:id/items", async (c) => {
    const { items } = readOrder((await readBody(c)).order);
    const transaction = changeItems(paddle, found(paddle, c).id, items);
    return answer(c, { panel: panelOf(paddle, transaction), events: [eventOf(paddle, "items.updated", transaction)] });
  });
  app.post("/checkout/:id/buyer", async (c) => answer(c, identify(paddle, found(paddle, c), await readBody(c))));
  app.post("/checkout/:id/pay", async (c) => answer(c, payStep(paddle, c, found(paddle, c), await readBody(c))));
  app.post("/checkout/:id/challenge", async (c) => {
    const { attempt, answer: word } = await readBody(c);
    const transaction = found(paddle, c);
    if (isPaid(transaction)) return answer(c, done(paddle, transaction));
    const outcome = answerChallenge(paddle, textOf(attempt), word === "approve");
    return answer(c, afterPaying(paddle, transaction, outcome));
  });
  app.post("/checkout/:id/view", (c) => {
    const transaction = found(paddle, c);
    if (isPaid(transaction)) return answer(c, done(paddle, transaction));
    return answer(c, { panel: panelOf(paddle, transaction), events: [] });
  });
  return app;
}

const found = (paddle: Paddle, c: Context<StandInEnv>): Transaction =>
  findTransaction(paddle, transactionIdOf(c.req.param("id") ?? ""));

const isPaid = ({ status }: Transaction): boolean => status === "paid" || status === "completed";

const panelOf = (paddle: Paddle, transaction: Transaction): Markup =>
  transaction.customer_id === null ? buyerPanel(paddle, transaction) : cardPanel(paddle, transaction);

const done = (paddle: Paddle, transaction: Transaction): Step => ({
  panel: donePanel(paddle, transaction),
  events: [eventOf(paddle, "completed", transaction)],
});

async function answer(c: Context<StandInEnv>, { panel, events, close }: Step): Promise<Response> {
  return c.json({ ...(panel !== undefined && { html: String(await panel) }), events, close });
}

function identify(paddle: Paddle, transaction: Transaction, body: Body): Step {
  const email = textOf(body.email);
  if (!/^\S+@\S+\.\S+$/.test(email)) {
    return { panel: buyerPanel(paddle, transaction, "An address like name@example.com", email), events: [] };
  }
  const known = identifyBuyer(paddle, transaction.id, { email, countryCode: textOf(body.country) });
  return { panel: cardPanel(paddle, known), events: [eventOf(paddle, "customer.created", known)] };
}

/** Pays, and plays what faults ask for. */
function payStep(paddle: Paddle, c: Context<StandInEnv>, transaction: Transaction, body: Body): Step {
  // Pressed twice, or asked again after an answer was lost.
  if (isPaid(transaction)) return done(paddle, transaction);
  const fields = readFields(body);
  const read = readCard(fields);
  if ("faults" in read) return { panel: cardPanel(paddle, transaction, { fields, faults: read.faults }), events: [] };
  if (isPlaying(c, "unpaid")) return done(paddle, { ...transaction, status: "completed" });
  const number = isPlaying(c, "declined") ? DECLINED_NUMBER : read.card.number;
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
