import type { Context, Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { portalLinks } from "./customers.ts";
import { answer, notPart, originOf, readRequest } from "./http.ts";
import type { Subscription } from "./model.ts";
import { previewUpdate, type SubscriptionUpdate, UPDATE_FIELDS, updateSubscription } from "./plan-changes.ts";
import { resumeSubscription } from "./renewals.ts";
import type { Paddle } from "./state.ts";
import { cancelSubscription, changeable, findSubscription, paymentMethodTransaction } from "./subscriptions.ts";

const ONE = "/subscriptions/{subscription_id}";

type Effective = { effective_from?: string | null };

/** Subscriptions: get, change, preview of a change, cancel, resume, and a transaction for another card. */
export function subscriptionsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  const asked = (c: Context<StandInEnv>) => findSubscription(paddle, c.req.param("id"));
  const show = (c: Context<StandInEnv>, subscription: Subscription) => answer(c, toWire(paddle, c, subscription));
  app.get("/subscriptions/:id", async (c) => {
    await readRequest(paddle, c, ONE);
    return show(c, asked(c));
  });
  app.patch("/subscriptions/:id", async (c) => {
    const update = await readRequest<SubscriptionUpdate>(paddle, c, ONE, UPDATE_FIELDS);
    return show(c, updateSubscription(paddle, asked(c), update));
  });
  app.patch("/subscriptions/:id/preview", async (c) => {
    const update = await readRequest<SubscriptionUpdate>(paddle, c, `${ONE}/preview`, UPDATE_FIELDS);
    const { id: _, ...before } = toWire(paddle, c, asked(c));
    return answer(c, { ...before, ...previewUpdate(paddle, asked(c), update) });
  });
  app.get("/subscriptions/:id/update-payment-method-transaction", async (c) => {
    await readRequest(paddle, c, `${ONE}/update-payment-method-transaction`);
    return answer(c, paymentMethodTransaction(paddle, changeable(asked(c))));
  });
  app.post("/subscriptions/:id/cancel", async (c) => {
    const { effective_from } = await readRequest<Effective>(paddle, c, `${ONE}/cancel`, ["effective_from"]);
    return show(c, cancelSubscription(paddle, asked(c), effective_from === "immediately"));
  });
  app.post("/subscriptions/:id/resume", async (c) => {
    const { effective_from } = await readRequest<Effective>(paddle, c, `${ONE}/resume`, ["effective_from"]);
    if (effective_from !== "immediately") throw notPart("A resumption that is planned");
    return show(c, resumeSubscription(paddle, asked(c)));
  });
  return app;
}

/** A subscription as the API shows it: with links that last a while, which webhooks never carry. */
function toWire(paddle: Paddle, c: Context<StandInEnv>, subscription: Subscription) {
  const { of } = portalLinks(paddle, originOf(c), subscription.customer_id);
  const { cancel_subscription, update_subscription_payment_method } = of(subscription.id);
  const management_urls = { cancel: cancel_subscription, update_payment_method: update_subscription_payment_method };
  return { ...subscription, management_urls };
}
