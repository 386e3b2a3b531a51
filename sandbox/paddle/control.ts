import type { Context, Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { createAdjustment, createChargeback, findAdjustment, reverseChargeback, settleRefund } from "./adjustments.ts";
import { answerChallenge, pay, startCheckout } from "./checkout.ts";
import { replayNotification } from "./events.ts";
import type { CustomData } from "./model.ts";
import { RefusedError } from "./refusals.ts";
import type { Paddle } from "./respond.ts";
import { edit } from "./state.ts";
import { changePaymentMethod } from "./subscriptions.ts";
import { completeTransaction } from "./transactions.ts";
import { inOrder, type Order, type Sender } from "./webhooks.ts";

const ORDERS: readonly Order[] = ["forward", "reverse", "shuffle"];
const USUAL_NUMBER = "4242424242424242";
const EXPIRY_YEARS = 4;

/**
 * Paddle's own part of `/__control`: purchases without a browser, the bank's and Paddle's decisions, and the sending of
 * webhooks. Wrong requests are answered 400, 404 or 409 `{error}`.
 */
export function paddleControl(paddle: Paddle, sender: Sender, hold: (isHeld: boolean) => void): Hono<StandInEnv> {
  const app = createApp();
  app.post("/checkouts", (c) => told(c, async () => checkout(paddle, await read(c)), 201));
  app.post("/transactions/:id/complete", (c) => told(c, () => completeTransaction(paddle, c.req.param("id"))));
  app.post("/transactions/:id/pay", (c) =>
    told(c, async () => pay(paddle, c.req.param("id"), cardOf(paddle, (await read(c)).card))),
  );
  app.post("/challenges/:id", (c) =>
    told(c, async () => answerChallenge(paddle, c.req.param("id"), (await read(c)).accepted === true)),
  );
  app.post("/subscriptions/:id/payment-method", (c) =>
    told(c, async () => changePaymentMethod(paddle, c.req.param("id"), cardOf(paddle, (await read(c)).card))),
  );
  app.get("/events", (c) => c.json({ events: [...paddle.store.state.events.values()] }));
  app.post("/events", (c) =>
    told(
      c,
      async () => {
        const { event_type, data = {} } = await read(c);
        if (typeof event_type !== "string" || event_type === "") throw new Error('"event_type" is needed');
        return edit(paddle, (one) => one.emit(event_type, data));
      },
      201,
    ),
  );
  adjustmentRoutes(paddle, app);
  webhookRoutes(paddle, sender, hold, app);
  return app;
}

/** What is given back, and what the bank and Paddle say to it. */
function adjustmentRoutes(paddle: Paddle, app: Hono<StandInEnv>): void {
  app.post("/refunds", (c) =>
    told(
      c,
      async () => {
        const { transaction_id, reason = "asked for" } = await read(c);
        const asked = { transaction_id: String(transaction_id), reason: String(reason) };
        return edit(paddle, (one) => createAdjustment(paddle, one, { action: "refund", type: "full", ...asked }));
      },
      201,
    ),
  );
  app.post("/chargebacks", (c) =>
    told(
      c,
      async () => {
        const { transaction_id, action = "chargeback" } = await read(c);
        if (action !== "chargeback" && action !== "chargeback_warning") throw new Error('"action" is no chargeback');
        return createChargeback(paddle, String(transaction_id), action);
      },
      201,
    ),
  );
  app.post("/chargebacks/:id/reverse", (c) => told(c, () => reverseChargeback(paddle, c.req.param("id")), 201));
  app.post("/adjustments/:id/approve", (c) => told(c, () => decide(paddle, c.req.param("id"), "approved")));
  app.post("/adjustments/:id/reject", (c) => told(c, () => decide(paddle, c.req.param("id"), "rejected")));
}

function webhookRoutes(paddle: Paddle, sender: Sender, hold: (isHeld: boolean) => void, app: Hono<StandInEnv>): void {
  app.get("/webhooks", (c) => {
    const { notifications, events } = paddle.store.state;
    const shown = [...notifications.values()].map((one) => ({
      ...one,
      eventType: events.get(one.eventId)?.event_type,
    }));
    return c.json({ isHolding: paddle.settings.holdWebhooks, notifications: shown });
  });
  app.post("/webhooks/hold", (c) => {
    hold(true);
    return c.json({ isHolding: true });
  });
  app.post("/webhooks/release", (c) =>
    told(c, () => {
      const wanted = c.req.query("order") ?? "forward";
      const order = ORDERS.find((one) => one === wanted);
      if (order === undefined) throw new Error(`"order" must be one of ${ORDERS.join(", ")}`);
      hold(false);
      sender.reorder((waiting) => inOrder(waiting, order, Number(c.req.query("seed") ?? 1)));
      return { isHolding: false };
    }),
  );
  app.post("/webhooks/settle", async (c) => {
    await sender.settled();
    return c.json({ isHolding: paddle.settings.holdWebhooks });
  });
  app.post("/webhooks/:id/replay", (c) => told(c, () => replayNotification(paddle, c.req.param("id")), 201));
}

function checkout(paddle: Paddle, body: Record<string, unknown>) {
  const { items = [], customer, custom_data, card, country, transaction_id } = body;
  const { email } = Object(customer);
  if (!Array.isArray(items)) throw new Error('"items" must be a list');
  const transaction = startCheckout(paddle, {
    items: items.map((item) => ({ priceId: String(item.price_id), quantity: Number(item.quantity ?? 1) })),
    ...(typeof transaction_id === "string" && { transactionId: transaction_id }),
    ...(typeof email === "string" && { customer: { email } }),
    ...(typeof country === "string" && { address: { countryCode: country } }),
    customData: customDataOf(custom_data),
  });
  if (card === null) return { outcome: "opened", transaction };
  return pay(paddle, transaction.id, cardOf(paddle, card));
}

function customDataOf(value: unknown): CustomData {
  return typeof value === "object" && value !== null ? { ...value } : null;
}

/** A card by its number; it lives some years longer than the stand-in's clock shows. */
function cardOf({ clock }: Paddle, card: unknown) {
  const { number = USUAL_NUMBER, expiry_month = 12, expiry_year } = Object(card);
  const expiryYear = Number(expiry_year ?? clock.now().getUTCFullYear() + EXPIRY_YEARS);
  return { number: String(number), expiryMonth: Number(expiry_month), expiryYear, cvc: "100", holder: "Jo Brown" };
}

function decide(paddle: Paddle, id: string, verdict: "approved" | "rejected") {
  return edit(paddle, (one) => settleRefund(one, findAdjustment(paddle, id), verdict));
}

async function read(c: Context<StandInEnv>): Promise<Record<string, unknown>> {
  const text = await c.req.text();
  const value: unknown = JSON.parse(text === "" ? "{}" : text);
  return typeof value === "object" && value !== null ? { ...value } : {};
}

async function told(c: Context<StandInEnv>, act: () => unknown, status: 200 | 201 = 200): Promise<Response> {
  try {
    return c.json(await act(), status);
  } catch (error) {
    if (error instanceof RefusedError) {
      return c.json({ error: error.refusal.detail, code: error.refusal.code }, error.refusal.status);
    }
    return c.json({ error: error instanceof Error ? error.message : String(error) }, 400);
  }
}
