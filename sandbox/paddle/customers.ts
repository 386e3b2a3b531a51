import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { type Address, type Customer, newId, newToken } from "./model.ts";
import type { PortalSession } from "./records.ts";
import { conflict, entityNotFound } from "./refusals.ts";
import { answer, answerPage, filterBy, originOf, type Paddle, readRequest } from "./respond.ts";
import { type Edit, edit, withChanges } from "./state.ts";
import { isoMicros } from "./time.ts";

/** @throws RefusedError 404. */
export function findCustomer({ store }: Paddle, id = ""): Customer {
  const customer = store.state.customers.get(id);
  if (customer === undefined) throw entityNotFound("customer", id);
  return customer;
}

/** The customer with this address, in any case. */
export function customerByEmail({ store }: Paddle, email: string): Customer | undefined {
  const wanted = email.trim().toLowerCase();
  const customer = store.state.customers.get(store.state.byEmail.get(wanted) ?? "");
  return customer?.email.toLowerCase() === wanted ? customer : undefined;
}

/** A new customer. @throws RefusedError 409 when the address has one already. */
export function createCustomer(
  paddle: Paddle,
  one: Edit,
  body: Pick<Customer, "email"> & Partial<Pick<Customer, "name" | "locale" | "custom_data">>,
): Customer {
  const known = customerByEmail(paddle, body.email);
  if (known !== undefined) {
    const detail = `customer email conflicts with customer of id ${known.id}`;
    throw conflict("customer_already_exists", detail, "customers");
  }
  const created_at = one.stamp();
  const customer: Customer = {
    name: null,
    locale: "en",
    custom_data: null,
    status: "active",
    marketing_consent: false,
    import_meta: null,
    created_at,
    updated_at: created_at,
    ...body,
    id: newId("ctm", one.at),
  };
  return one.save("customers", customer, "customer.created");
}

/** A new address of a customer. */
export function createAddress(
  one: Edit,
  customerId: string,
  body: Pick<Address, "country_code"> & Partial<Omit<Address, "id" | "customer_id">>,
): Address {
  const created_at = one.stamp();
  const address: Address = {
    description: null,
    first_line: null,
    second_line: null,
    city: null,
    postal_code: null,
    region: null,
    status: "active",
    custom_data: null,
    import_meta: null,
    created_at,
    updated_at: created_at,
    ...body,
    customer_id: customerId,
    id: newId("add", one.at),
  };
  return one.save("addresses", address, "address.created");
}

const LIFE_MS = 24 * 60 * 60 * 1000;

/** A new link to the portal of a customer. @throws RefusedError 404 for a subscription that is not theirs. */
function openPortalSession(paddle: Paddle, customerId: string, subscriptionIds: string[]): PortalSession {
  for (const id of subscriptionIds) {
    if (paddle.store.state.subscriptions.get(id)?.customer_id !== customerId) throw entityNotFound("subscription", id);
  }
  return edit(paddle, (one) =>
    one.put("portalSessions", newSession(one, newId("cpls", one.at), customerId, subscriptionIds)),
  );
}

/** A link that a subscription's own answers carry: the one before, while it has most of its life before it. */
export function managementSession(paddle: Paddle, customerId: string, subscriptionId: string): PortalSession {
  const id = `links_${subscriptionId}`;
  const known = paddle.store.state.portalSessions.get(id);
  if (known !== undefined && Date.parse(known.expiresAt) - paddle.clock.now().getTime() > LIFE_MS / 2) return known;
  return edit(paddle, (one) => one.put("portalSessions", newSession(one, id, customerId, [subscriptionId])));
}

/** The session behind a link, while it lives. */
export function findPortalSession({ store, clock }: Paddle, token: string): PortalSession | undefined {
  const session = [...store.state.portalSessions.values()].find((one) => one.token === token);
  return session === undefined || Date.parse(session.expiresAt) <= clock.now().getTime() ? undefined : session;
}

/** The links of a session, as the API shows them. */
export function portalUrls(origin: string, { token, subscriptionIds }: PortalSession) {
  const subscriptions = subscriptionIds.map((id) => ({
    id,
    cancel_subscription: `${origin}/portal/${token}/subscriptions/${id}/cancel`,
    update_subscription_payment_method: `${origin}/portal/${token}/subscriptions/${id}/payment-method`,
  }));
  return { general: { overview: `${origin}/portal/${token}` }, subscriptions };
}

function newSession(one: Edit, id: string, customerId: string, subscriptionIds: string[]): PortalSession {
  return {
    id,
    token: newToken(),
    customerId,
    subscriptionIds,
    createdAt: one.stamp(),
    expiresAt: isoMicros(new Date(one.at.getTime() + LIFE_MS)),
  };
}

type CustomerBody = Pick<Customer, "email"> & Partial<Pick<Customer, "name" | "locale" | "custom_data" | "status">>;
type AddressBody = Pick<Address, "country_code"> & Partial<Address>;

/** Customers, their addresses and their portal sessions. */
export function customersApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/customers", async (c) => {
    const { query } = await readRequest(paddle, c, "/customers");
    const found = filterBy(paddle.store.state.customers.values(), query, ["id", "status"]);
    return answerPage(paddle, c, found.filter(isSought(query)), (customer) => customer);
  });
  app.post("/customers", async (c) => {
    const { body } = await readRequest<CustomerBody>(paddle, c, "/customers");
    return answer(
      c,
      edit(paddle, (one) => createCustomer(paddle, one, body)),
      201,
    );
  });
  app.get("/customers/:id", async (c) => {
    const { path } = await readRequest(paddle, c, "/customers/{customer_id}");
    return answer(c, findCustomer(paddle, path.customer_id));
  });
  app.patch("/customers/:id", async (c) => {
    const { path, body } = await readRequest<Partial<CustomerBody>>(paddle, c, "/customers/{customer_id}");
    const customer = findCustomer(paddle, path.customer_id);
    assertFreeEmail(paddle, customer, body.email);
    return answer(
      c,
      edit(paddle, (one) => one.save("customers", withChanges(customer, body), "customer.updated")),
    );
  });
  app.post("/customers/:id/portal-sessions", async (c) => {
    const asked = await readRequest<{ subscription_ids?: string[] }>(
      paddle,
      c,
      "/customers/{customer_id}/portal-sessions",
    );
    const customer = findCustomer(paddle, asked.path.customer_id);
    const session = openPortalSession(paddle, customer.id, asked.body.subscription_ids ?? []);
    const urls = portalUrls(originOf(paddle, c), session);
    return answer(c, { id: session.id, customer_id: customer.id, urls, created_at: session.createdAt }, 201);
  });
  addressRoutes(paddle, app);
  return app;
}

function addressRoutes(paddle: Paddle, app: Hono<StandInEnv>): void {
  const all = "/customers/{customer_id}/addresses";
  app.get("/customers/:id/addresses", async (c) => {
    const { path, query } = await readRequest(paddle, c, all);
    const customer = findCustomer(paddle, path.customer_id);
    const own = [...paddle.store.state.addresses.values()].filter(({ customer_id }) => customer_id === customer.id);
    return answerPage(paddle, c, filterBy(own, query, ["id", "status"]), (address) => address);
  });
  app.post("/customers/:id/addresses", async (c) => {
    const { path, body } = await readRequest<AddressBody>(paddle, c, all);
    const customer = findCustomer(paddle, path.customer_id);
    return answer(
      c,
      edit(paddle, (one) => createAddress(one, customer.id, body)),
      201,
    );
  });
  app.get("/customers/:id/addresses/:address", async (c) => {
    const { path } = await readRequest(paddle, c, `${all}/{address_id}`);
    return answer(c, findAddress(paddle, path.customer_id, path.address_id));
  });
  app.patch("/customers/:id/addresses/:address", async (c) => {
    const { path, body } = await readRequest<Partial<AddressBody>>(paddle, c, `${all}/{address_id}`);
    const address = findAddress(paddle, path.customer_id, path.address_id);
    return answer(
      c,
      edit(paddle, (one) => one.save("addresses", withChanges(address, body), "address.updated")),
    );
  });
}

/** @throws RefusedError 404, also for another customer's. */
export function findAddress({ store }: Paddle, customerId = "", id = ""): Address {
  const address = store.state.addresses.get(id);
  if (address === undefined || address.customer_id !== customerId) throw entityNotFound("address", id);
  return address;
}

function isSought({ email, search }: Record<string, string>): (customer: Customer) => boolean {
  const emails = email?.split(",").map((one) => one.toLowerCase());
  const part = search?.toLowerCase();
  return (customer) =>
    (emails === undefined || emails.includes(customer.email.toLowerCase())) &&
    (part === undefined || `${customer.id} ${customer.name ?? ""} ${customer.email}`.toLowerCase().includes(part));
}

function assertFreeEmail(paddle: Paddle, customer: Customer, email: string | undefined): void {
  const holder = email === undefined ? undefined : customerByEmail(paddle, email);
  if (holder === undefined || holder.id === customer.id) return;
  const detail = `customer email conflicts with customer of id ${holder.id}`;
  throw conflict("customer_already_exists", detail, "customers");
}
