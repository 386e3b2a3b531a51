import { createHmac, randomBytes } from "node:crypto";
import type { Hono } from "hono";
import { createApp, originOf, type StandInEnv } from "../kit/serve.ts";
import { isSameText } from "../kit/values.ts";
import { entityNotFound, findOrThrow, readRequest, respond } from "./http.ts";
import { type Change, isoMicros, newId, type Paddle } from "./state.ts";

export type Customer = ReturnType<typeof newCustomer>;
export type Address = ReturnType<typeof newAddress>;

export interface Buyer {
  email: string;
  countryCode?: string;
}

function newCustomer(id: string, created_at: string, email: string) {
  return {
    id,
    email,
    name: null,
    locale: "en",
    custom_data: null,
    status: "active",
    marketing_consent: false,
    import_meta: null,
    created_at,
    updated_at: created_at,
  };
}

function newAddress(id: string, created_at: string, customer_id: string, country_code: string) {
  return {
    id,
    customer_id,
    country_code,
    postal_code: null,
    description: null,
    first_line: null,
    second_line: null,
    city: null,
    region: null,
    status: "active",
    custom_data: null,
    import_meta: null,
    created_at,
    updated_at: created_at,
  };
}

/** Finds or creates the customer and address of a buyer. Emails are case-insensitive. */
export function findOrCreateBuyer({ store, settings }: Paddle, change: Change, { email, countryCode }: Buyer) {
  const { customers, addresses, byEmail } = store.state;
  const known = customers.get(byEmail.get(email.trim().toLowerCase()) ?? "");
  const customer =
    known ??
    change.save("customers", newCustomer(newId("ctm", change.at), change.timestamp(), email), "customer.created");
  const country = countryCode ?? settings.values.country;
  const isSame = (item: Address) => item.customer_id === customer.id && item.country_code === country;
  const made = () => newAddress(newId("add", change.at), change.timestamp(), customer.id, country);
  const address = [...addresses.values()].find(isSame) ?? change.save("addresses", made(), "address.created");
  return { customerId: customer.id, addressId: address.id };
}

export function customersApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.post("/customers/:id/portal-sessions", async (c) => {
    const path = "/customers/{customer_id}/portal-sessions";
    const { subscription_ids = [] } = await readRequest<{ subscription_ids?: string[] }>(paddle, c, path, [
      "subscription_ids",
    ]);
    const { customers, subscriptions } = paddle.store.state;
    const customer = findOrThrow(customers, "customer", c.req.param("id"));
    for (const id of subscription_ids) {
      if (subscriptions.get(id)?.customer_id !== customer.id) throw entityNotFound("subscription", id);
    }
    const { overview, of } = portalLinks(paddle, originOf(c), customer.id);
    const urls = { general: { overview }, subscriptions: subscription_ids.map((id) => ({ id, ...of(id) })) };
    const now = paddle.clock.now();
    return respond(c, { id: newId("cpls", now), customer_id: customer.id, urls, created_at: isoMicros(now) }, 201);
  });
  return app;
}

const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;
const NONCE_BYTES = 9;

export function sign({ apiKey }: Paddle, text: string): string {
  return createHmac("sha256", apiKey).update(text).digest("base64url");
}

/** Links to a customer's portal that work for one day. */
export function portalLinks(paddle: Paddle, origin: string, customerId: string) {
  const expiresMs = paddle.clock.now().getTime() + LINK_LIFETIME_MS;
  const payload = [customerId, expiresMs, randomBytes(NONCE_BYTES).toString("hex")].join(".");
  const overview = `${origin}/portal/${payload}.${sign(paddle, payload)}`;
  return {
    overview,
    of: (subscriptionId: string) => ({
      cancel_subscription: `${overview}/subscriptions/${subscriptionId}/cancel`,
      update_subscription_payment_method: `${overview}/subscriptions/${subscriptionId}/payment-method`,
    }),
  };
}

/** The customer of a link's token, until it expires. */
export function portalCustomer(paddle: Paddle, token: string): string | undefined {
  const [customerId = "", expiresMs = "", nonce = "", signature = ""] = token.split(".");
  const isOurs = isSameText(signature, sign(paddle, [customerId, expiresMs, nonce].join(".")));
  return isOurs && Number(expiresMs) > paddle.clock.now().getTime() ? customerId : undefined;
}
