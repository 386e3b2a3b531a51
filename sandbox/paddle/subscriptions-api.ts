import type { Context, Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { portalLinks } from "./customers.ts";
import { notSupported, originOf, readRequest, respond } from "./http.ts";
import type { Subscription } from "./model.ts";
import { previewUpdate, type SubscriptionUpdate, UPDATE_FIELDS, updateSubscription } from "./plan-changes.ts";
import { resumeSubscription } from "./renewals.ts";
import type { Paddle } from "./state.ts";
import { cancelSubscription, ensureNotCanceled, findSubscription, paymentMethodTransaction } from "./subscriptions.ts";

const PATH = "/subscriptions/{subscription_id}";

type Effective = { effective_from?: string | null };

/** Subscriptions: get, update, preview, cancel, resume, and the transaction to change the card. */
export function subscriptionsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  const requested = (c: Context<StandInEnv>) => findSubscription(paddle, c.req.param("id"));
  const show = (c: Context<StandInEnv>, subscription: Subscription) => respond(c, toWire(paddle, c, subscription));
  app.get("/subscriptions/:id", async (c) => {
    await readRequest(paddle, c, PATH);
    return show(c, requested(c));
  });
  app.patch("/subscriptions/:id", async (c) => {
    const update = await readRequest<SubscriptionUpdate>(paddle, c, PATH, UPDATE_FIELDS);
    return show(c, updateSubscription(paddle, requested(c), update));
  });
  app.patch("/subscriptions/:id/preview", async (c) => {
    const update = await readRequest<SubscriptionUpdate>(paddle, c, `${PATH}/preview`, UPDATE_FIELDS);
    const { id: _, ...before } = toWire(paddle, c, requested(c));
    return respond(c, { ...before, ...previewUpdate(paddle, requested(c), update) });
  });
  app.get("/subscriptions/:id/update-payment-method-transaction", async (c) => {
    await readRequest(paddle, c, `${PATH}/update-payment-method-transaction`);
    return respond(c, paymentMethodTransaction(paddle, ensureNotCanceled(requested(c))));
  });
  app.post("/subscriptions/:id/cancel", async (c) => {
    const { effective_from } = await readRequest<Effective>(paddle, c, `${PATH}/cancel`, ["effective_from"]);
    return show(c, cancelSubscription(paddle, requested(c), effective_from === "immediately"));
  });
  app.post("/subscriptions/:id/resume", async (c) => {
    const { effective_from } = await readRequest<Effective>(paddle, c, `${PATH}/resume`, ["effective_from"]);
    if (effective_from !== "immediately") throw notSupported("A scheduled resumption");
    return show(c, resumeSubscription(paddle, requested(c)));
  });
  return app;
}

/** A subscription as the API returns it: with temporary links, which webhooks never contain. */
function toWire(paddle: Paddle, c: Context<StandInEnv>, subscription: Subscription) {
  const { of } = portalLinks(paddle, originOf(c), subscription.customer_id);
  const { cancel_subscription, update_subscription_payment_method } = of(subscription.id);
  const management_urls = { cancel: cancel_subscription, update_payment_method: update_subscription_payment_method };
  return { ...subscription, management_urls };
}
