import type { Context, Hono } from "hono";
import { createControlApp, readFields } from "../kit/control.ts";
import type { StandInEnv } from "../kit/serve.ts";
import { adjust, reverseChargeback, settleRefund } from "./adjustments.ts";
import { TEST_CARDS } from "./cards.ts";
import { changePaymentMethod, pay, startCheckout } from "./checkout.ts";
import { ApiError, findOrThrow } from "./http.ts";
import { commit, newNotification, type Paddle } from "./state.ts";
import { ORDERS, type WebhookSender } from "./webhooks.ts";

type Fields = Record<string, unknown>;
type ControlAction = (fields: Fields, id: string, c: Context<StandInEnv>) => unknown;

const EXPIRY_YEARS = 4;

/** Paddle's part of `/__control`: purchases, decisions of the bank and of Paddle, and webhook delivery. */
export function paddleControl(paddle: Paddle, sender: WebhookSender): Hono<StandInEnv> {
  const app = createControlApp();
  const post = (path: string, status: 200 | 201, handler: ControlAction) =>
    app.post(path, async (c) => c.json(Object(await handler(await readFields(c), c.req.param("id") ?? "", c)), status));
  const adjustment = (id: string) => findOrThrow(paddle.store.state.adjustments, "adjustment", id);
  const settle = (id: string, decision: "approved" | "rejected") =>
    commit(paddle, (change) => settleRefund(change, adjustment(id), decision));
  const createReturn = (action: "refund" | "chargeback", reason: string, id: unknown) =>
    adjust(paddle, { action, transactionId: String(id), reason });

  post("/checkouts", 201, (fields) => checkout(paddle, fields));
  post("/subscriptions/:id/payment-method", 200, ({ card }, id) =>
    changePaymentMethod(paddle, id, cardOf(paddle, card)),
  );
  post("/refunds", 201, ({ transaction_id }) => createReturn("refund", "requested by customer", transaction_id));
  post("/adjustments/:id/approve", 200, (_, id) => settle(id, "approved"));
  post("/adjustments/:id/reject", 200, (_, id) => settle(id, "rejected"));
  post("/chargebacks", 201, ({ transaction_id }) => createReturn("chargeback", "fraud", transaction_id));
  post("/chargebacks/:id/reverse", 201, (_, id) => reverseChargeback(paddle, adjustment(id)));
  controlWebhooks(paddle, sender, app, post);
  app.onError((error, c) => {
    if (error instanceof ApiError) return c.json({ error: error.message, code: error.code }, error.status);
    return c.json({ error: error.message }, 400);
  });
  return app;
}

function controlWebhooks(
  paddle: Paddle,
  sender: WebhookSender,
  app: Hono<StandInEnv>,
  post: (path: string, status: 200 | 201, action: ControlAction) => unknown,
): void {
  const { store } = paddle;
  app.get("/events", (c) => c.json({ events: [...store.state.events.values()] }));
  post("/events", 201, ({ event_type, data = {} }) => {
    if (typeof event_type !== "string" || event_type === "") throw new Error('"event_type" is required');
    return commit(paddle, (change) => change.emit(event_type, data));
  });
  app.get("/webhooks", (c) => {
    const notifications = [...store.state.notifications.values()];
    return c.json({ isHolding: paddle.settings.values.holdWebhooks, notifications });
  });
  post("/webhooks/:id/replay", 201, (_, id) => {
    const event = findOrThrow(
      store.state.events,
      "event",
      findOrThrow(store.state.notifications, "notification", id).eventId,
    );
    return commit(paddle, (change) => change.put("notifications", newNotification(event, "replay", change.at)));
  });
  post("/webhooks/hold", 200, () => {
    paddle.settings.change({ holdWebhooks: true });
    return { isHolding: true };
  });
  post("/webhooks/release", 200, (_, __, c) => {
    const { order: requested = "forward", seed = "1" } = c.req.query();
    const order = ORDERS.find((item) => item === requested);
    if (order === undefined) throw new Error(`"order" must be one of ${ORDERS.join(", ")}`);
    paddle.settings.change({ holdWebhooks: false });
    sender.release(order, Number(seed));
    return { isHolding: false };
  });
  post("/webhooks/settle", 200, async () => {
    await sender.whenIdle();
    return { unsent: store.state.unsent.size };
  });
}

function checkout(paddle: Paddle, { items = [], customer, custom_data, card, country, transaction_id }: Fields) {
  const { email } = Object(customer);
  if (!Array.isArray(items)) throw new Error('"items" must be a list');
  const location = typeof country === "string" ? { countryCode: country } : {};
  const transaction = startCheckout(paddle, {
    items: items.map((item) => ({ priceId: String(item.price_id), quantity: Number(item.quantity ?? 1) })),
    ...(typeof transaction_id === "string" && { transactionId: transaction_id }),
    ...(typeof email === "string" && { buyer: { email, ...location } }),
    customData: typeof custom_data === "object" && custom_data !== null ? { ...custom_data } : null,
  });
  if (card === null) return { outcome: "opened", transaction };
  return pay(paddle, transaction.id, cardOf(paddle, card));
}

/** A card by its number. It expires some years after the stand-in's current time. */
function cardOf({ clock }: Paddle, card: unknown) {
  const { number = TEST_CARDS.works, expiry_month = 12, expiry_year } = Object(card);
  const expiryYear = Number(expiry_year ?? clock.now().getUTCFullYear() + EXPIRY_YEARS);
  return { number: String(number), expiryMonth: Number(expiry_month), expiryYear, holder: "Jo Brown" };
}
