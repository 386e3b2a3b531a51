import type { Context, Hono } from "hono";
import { isPlaying } from "../../kit/apply-faults.ts";
import type { Markup } from "../../kit/look/page.ts";
import { createApp, type StandInEnv } from "../../kit/serve.ts";
import { changeItems } from "../checkout/change-items.ts";
import { answerChallenge, type PayOutcome, pay } from "../checkout/pay.ts";
import { identifyBuyer, startCheckout } from "../checkout/start-checkout.ts";
import type { Paddle } from "../context.ts";
import type { Transaction } from "../model.ts";
import { findTransaction } from "../transactions.ts";
import { declineText, readCard, readFields } from "./card-form.ts";
import { type CheckoutEvent, eventOf, transactionIdOf } from "./event-data.ts";
import { forge } from "./forge.ts";
import { buyerPanel, cardPanel, challengePanel, donePanel } from "./panels.ts";
import { assertToken, type Body, readBody, readOrder, textOf } from "./read-order.ts";

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
