import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import type { Paddle } from "./context.ts";
import { originOf } from "./context.ts";
import { createAddress, createCustomer, customerByEmail, findCustomer } from "./customers.ts";
import { edit, withChanges } from "./edit.ts";
import type { Address, Customer } from "./model.ts";
import { openPortalSession, portalUrls } from "./portal-session.ts";
import { conflict, entityNotFound } from "./refusals.ts";
import { answer, answerPage, filterBy, readRequest } from "./respond.ts";

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
