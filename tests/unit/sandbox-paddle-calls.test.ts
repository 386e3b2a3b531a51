import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  API_KEY,
  CARDS,
  CATALOG,
  call,
  type Harness,
  PRICES,
  spec,
  startHarness,
  subscribe,
} from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

describe("requests", () => {
  test("R-SRV-10 calls without the key are rejected", async () => {
    expect(await call(harness.url, "GET", "/prices", undefined, null)).toMatchObject({
      status: 403,
      body: { error: { type: "request_error", code: "authentication_missing" } },
    });
    expect((await call(harness.url, "GET", "/prices", undefined, "other")).body.error.code).toBe("invalid_token");
    const odd = await fetch(`${harness.url}/prices`, { headers: { authorization: `Basic ${API_KEY}` } });
    expect(odd.status).toBe(403);
  });

  test("R-SRV-10 unknown fields, query parameters and ids are rejected by name", async () => {
    const body = { description: "One", product_id: "pro_1", unit_price: { amount: "1", currency_code: "USD" } };
    const wrong = await call(harness.url, "POST", "/prices", { ...body, colour: "red" });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: "invalid_field" } } });
    const unknown = await call(harness.url, "POST", "/products", {
      name: "A",
      tax_category: "standard",
      colour: "red",
    });
    expect(unknown.body.error.errors).toEqual([{ field: "colour", message: expect.stringContaining("colour") }]);
    const missing = await call(harness.url, "POST", "/products", {});
    expect(missing.body.error.errors[0].field).toBe("name");
    expect((await call(harness.url, "GET", "/products?colour=red")).status).toBe(400);
    expect((await call(harness.url, "GET", "/events?after=evt_nothing")).status).toBe(400);
    expect((await call(harness.url, "POST", "/products", "no object")).status).toBe(400);
    const broken = await fetch(`${harness.url}/products`, {
      method: "POST",
      headers: { authorization: `Bearer ${API_KEY}` },
      body: "{",
    });
    expect(broken.status).toBe(400);
  });

  test.each(["prices/pri", "transactions/txn", "subscriptions/sub"])(
    "R-SRV-10 an unknown one of %s is not found",
    async (path) => {
      const answer = await call(harness.url, "GET", `/${path}_${"0".repeat(26)}`);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "entity_not_found" } } });
    },
  );

  test("R-SRV-10 unsupported calls and fields are rejected by name", async () => {
    const detailOf = async (method: string, path: string, body?: unknown) => {
      const answer = await call(harness.url, method, path, body);
      return `${answer.status} ${answer.body.error.detail}`;
    };
    const { id } = await subscribe(harness);
    expect(await detailOf("POST", "/customers", {})).toBe("501 POST /customers is not supported by this stand-in.");
    expect(await detailOf("GET", "/prices?recurring=true")).toBe(
      "501 GET /prices with recurring is not supported by this stand-in.",
    );
    expect(await detailOf("PATCH", `/subscriptions/${id}`, { custom_data: {} })).toBe(
      `501 PATCH /subscriptions/${id} with custom_data is not supported by this stand-in.`,
    );
    const items = [{ price_id: PRICES.growth, quantity: 1 }];
    const full = { items, proration_billing_mode: "full_immediately" };
    expect(await detailOf("PATCH", `/subscriptions/${id}`, full)).toMatch(/^501 proration_billing_mode full_immedi/);
    expect(await detailOf("POST", `/subscriptions/${id}/pause`, {})).toMatch(/^501 /);
  });
});

describe("responses", () => {
  test("R-SRV-10 each response has the shape of the official description", async () => {
    const { id, customer } = await subscribe(harness);
    const { transaction } = await harness.buy(PRICES.pack100, CARDS.good);
    const product = { name: "Shape", tax_category: "standard", custom_data: { key: "shape" } };
    const { id: product_id } = (await call(harness.url, "POST", "/products", product)).body.data;
    const ids: Record<string, string> = {
      price_id: PRICES.basic,
      customer_id: customer,
      transaction_id: transaction.id,
      subscription_id: id,
    };
    const upgrade = {
      items: [{ price_id: PRICES.growth, quantity: 1 }],
      proration_billing_mode: "prorated_immediately",
      on_payment_failure: "prevent_change",
    };
    const price = { product_id, description: "One", unit_price: { amount: "100", currency_code: "USD" } };
    const subscription = "/subscriptions/{subscription_id}";
    const calls: [method: string, path: string, status: number, body?: unknown][] = [
      ["GET", "/products", 200],
      ["POST", "/products", 201, product],
      ["GET", "/prices", 200],
      ["POST", "/prices", 201, price],
      ["GET", "/prices/{price_id}", 200],
      ["PATCH", "/prices/{price_id}", 200, { description: "Another" }],
      ["POST", "/customers/{customer_id}/portal-sessions", 201, { subscription_ids: [id] }],
      ["GET", "/transactions/{transaction_id}", 200],
      ["GET", "/transactions/{transaction_id}/invoice", 200],
      ["GET", subscription, 200],
      ["GET", `${subscription}/update-payment-method-transaction`, 200],
      ["PATCH", `${subscription}/preview`, 200, upgrade],
      ["PATCH", subscription, 200, upgrade],
      ["POST", `${subscription}/cancel`, 200, { effective_from: "next_billing_period" }],
      ["GET", "/events", 200],
    ];
    const wrong: string[] = [];
    for (const [method, path, expected, body] of calls) {
      const requested = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
      const answer = await call(harness.url, method, requested, body);
      const verdict = spec.checkReply(method, path, expected, answer.body);
      if (answer.status !== expected || !verdict.ok) {
        wrong.push(`${method} ${path}: ${answer.status} ${verdict.ok ? "" : verdict.errors.join()}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("R-SRV-10 lists have pages, newest first; events continue after an id, oldest first", async () => {
    const ids = async (perPage: number) => {
      const list = harness.paddle.prices.list({ perPage });
      const pages = [];
      do pages.push((await list.next()).map(({ id }) => id));
      while (list.hasMore);
      return pages;
    };
    const [all = []] = await ids(100);
    const pages = await ids(2);
    expect(pages.flat()).toEqual(all);
    expect(pages.slice(0, -1).map((page) => page.length)).toEqual(Array(pages.length - 1).fill(2));
    const [first, second] = await harness.paddle.events.list({ perPage: 2 }).next();
    const [next] = await harness.paddle.events.list({ after: first?.eventId ?? "", perPage: 1 }).next();
    expect(next?.eventId).toBe(second?.eventId);
  });
});

describe("the catalog", () => {
  test("R-SRV-10 the configured catalog exists from the start; prices of a product share it", async () => {
    const own = await startHarness();
    const prices = await own.paddle.prices.list().next();
    expect(new Set(prices.map(({ id }) => id))).toEqual(new Set(Object.values(PRICES)));
    const byKey = new Map(prices.map((price) => [String(price.customData?.key), price]));
    for (const { key, priceId, amountMinor, interval } of CATALOG) {
      expect(byKey.get(key)).toMatchObject({ id: priceId, unitPrice: { amount: amountMinor, currencyCode: "USD" } });
      expect(byKey.get(key)?.billingCycle?.interval ?? null).toBe(interval);
    }
    expect(byKey.get("pack:100")?.productId).toBe(byKey.get("pack:500")?.productId);
    await own.close();
  });

  test("R-SRV-10 products and prices can be created, changed and archived; an archived price is not sold", async () => {
    const product = await harness.paddle.products.create({ name: "Extra", taxCategory: "standard" });
    const price = await harness.paddle.prices.create({
      productId: product.id,
      description: "An extra",
      name: "Extra",
      unitPrice: { amount: "500", currencyCode: "USD" },
      customData: { key: "extra" },
    });
    expect(price).toMatchObject({ status: "active", billingCycle: null, quantity: { minimum: 1, maximum: 100 } });
    await harness.paddle.prices.update(price.id, { status: "archived" });
    const listed = await harness.paddle.prices.list({ status: ["archived"] }).next();
    expect(listed.map(({ id }) => id)).toEqual([price.id]);
    const order = { items: [{ price_id: price.id }], customer: { email: "a@example.com" } };
    expect((await harness.control("POST", "/checkouts", order)).body.code).toBe("transaction_item_price_archived");
    await harness.settle();
    expect(harness.typesOf(product.id, price.id)).toEqual(["product.created", "price.created", "price.updated"]);
  });
});

describe("transactions and customers", () => {
  test("R-SRV-10 a checkout without a buyer is a draft that can be opened by id; an email belongs to one customer", async () => {
    const items = [{ price_id: PRICES.pack100, quantity: 3 }];
    const { body } = await harness.control("POST", "/checkouts", {
      items,
      card: null,
      custom_data: { user_id: "usr_9" },
    });
    expect(body.transaction).toMatchObject({ status: "draft", customer_id: null, custom_data: { user_id: "usr_9" } });
    const card = { number: CARDS.good };
    const pay = (email: string, more: object) =>
      harness.control("POST", "/checkouts", { customer: { email }, card, ...more });
    const opened = await pay("Opened@example.com", { transaction_id: body.transaction.id });
    expect(opened.body).toMatchObject({
      outcome: "completed",
      transaction: { details: { totals: { total: "4050" } } },
    });
    const again = await pay("opened@EXAMPLE.com", { items });
    expect(again.body.transaction.customer_id).toBe(opened.body.transaction.customer_id);
    const { url } = await harness.paddle.transactions.getInvoicePDF(body.transaction.id);
    expect(url).toMatch(/\/invoices\/inv_[a-z\d]{26}\?token=/);
  });

  test("R-SRV-10 a transaction has limits: quantity, and no invoice before payment", async () => {
    const open = (quantity: number) =>
      harness.control("POST", "/checkouts", { items: [{ price_id: PRICES.basic, quantity }], card: null });
    expect((await open(101)).body.code).toBe("transaction_item_quantity_out_of_range");
    const { transaction } = (await open(1)).body;
    await expect(harness.paddle.transactions.getInvoicePDF(transaction.id)).rejects.toMatchObject({
      code: "transaction_invoice_not_available",
    });
  });

  test("R-SRV-10 a portal session has its links, and only for the customer's own subscriptions", async () => {
    const { id, customer } = await subscribe(harness, PRICES.growth);
    const { urls } = await harness.paddle.customerPortalSessions.create(customer, [id]);
    expect(urls.general.overview).toMatch(`${harness.url}/portal/`);
    expect(urls.subscriptions[0]).toMatchObject({
      id,
      updateSubscriptionPaymentMethod: `${urls.general.overview}/subscriptions/${id}/payment-method`,
    });
    const other = await subscribe(harness);
    await expect(harness.paddle.customerPortalSessions.create(other.customer, [id])).rejects.toMatchObject({
      code: "entity_not_found",
    });
  });
});
