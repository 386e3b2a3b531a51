import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { API_KEY, CARDS, CATALOGUE, call, type House, PRICES, spec, startHouse } from "./sandbox-paddle-client.ts";

let house: House;
beforeAll(async () => {
  house = await startHouse();
});
afterAll(() => house.close());

const newCustomer = () => house.paddle.customers.create({ email: `${crypto.randomUUID()}@example.com` });

describe("the door", () => {
  test("R-SRV-10 without the key nothing is answered", async () => {
    expect(await call(house.url, "GET", "/prices", undefined, null)).toMatchObject({
      status: 403,
      body: { error: { type: "request_error", code: "authentication_missing" } },
    });
    expect((await call(house.url, "GET", "/prices", undefined, "other")).body.error.code).toBe("invalid_token");
    const odd = await fetch(`${house.url}/prices`, { headers: { authorization: `Basic ${API_KEY}` } });
    expect(odd.status).toBe(403);
  });

  test("R-SRV-10 fields, queries and ids that the description does not know are refused by name", async () => {
    const body = { description: "One", product_id: "pro_1", unit_price: { amount: "1", currency_code: "USD" } };
    const wrong = await call(house.url, "POST", "/prices", { ...body, colour: "red" });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: "invalid_field" } } });
    const unknown = await call(house.url, "POST", "/customers", { email: "a@example.com", colour: "red" });
    expect(unknown.body.error.errors).toEqual([{ field: "colour", message: expect.stringContaining("colour") }]);
    const missing = await call(house.url, "POST", "/customers", {});
    expect(missing.body.error.errors[0].field).toBe("email");
    expect((await call(house.url, "GET", "/transactions?colour=red")).status).toBe(400);
    expect((await call(house.url, "GET", "/transactions?per_page=99")).status).toBe(400);
    expect((await call(house.url, "POST", "/customers", "no object")).status).toBe(400);
    const broken = await fetch(`${house.url}/customers`, {
      method: "POST",
      headers: { authorization: `Bearer ${API_KEY}` },
      body: "{",
    });
    expect(broken.status).toBe(400);
  });

  test.each(["products/pro", "prices/pri", "customers/ctm", "transactions/txn", "subscriptions/sub"])(
    "R-SRV-10 an unknown one of %s is not found",
    async (path) => {
      const answer = await call(house.url, "GET", `/${path}_${"0".repeat(26)}`);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: "entity_not_found" } } });
    },
  );

  test("R-SRV-10 what is not played says so", async () => {
    const answer = await call(house.url, "GET", "/reports");
    expect(answer).toMatchObject({ status: 404, body: { error: { detail: expect.stringContaining("not played") } } });
  });
});

describe("the catalogue", () => {
  test("R-SRV-10 what was given is there at the start; prices of one product share it", async () => {
    const found = [];
    for await (const price of house.paddle.prices.list({ id: Object.values(PRICES) })) found.push(price);
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(Object.values(PRICES)));
    const byKey = new Map(found.map((price) => [String(price.customData?.key), price]));
    for (const { key, priceId, amountMinor, interval } of CATALOGUE) {
      expect(byKey.get(key)).toMatchObject({ id: priceId, unitPrice: { amount: amountMinor, currencyCode: "USD" } });
      expect(byKey.get(key)?.billingCycle?.interval ?? null).toBe(interval);
    }
    expect(byKey.get("pack:100")?.productId).toBe(byKey.get("pack:500")?.productId);
    const raw = await call(house.url, "GET", `/prices/${PRICES.basic}?include=product`);
    expect(spec.checkReply("GET", "/prices/{price_id}", 200, raw.body)).toEqual({ ok: true });
    expect(raw.body.data.product.name).toBe("Basic");
  });

  test("R-SRV-10 products and prices are made, changed and archived; an archived price is not sold", async () => {
    const product = await house.paddle.products.create({ name: "Extra", taxCategory: "standard" });
    const price = await house.paddle.prices.create({
      productId: product.id,
      description: "An extra",
      name: "Extra",
      unitPrice: { amount: "500", currencyCode: "USD" },
      customData: { key: "extra" },
    });
    expect(price).toMatchObject({ status: "active", billingCycle: null, quantity: { minimum: 1, maximum: 100 } });
    await house.paddle.prices.update(price.id, { status: "archived" });
    await expect(house.paddle.transactions.create({ items: [{ priceId: price.id, quantity: 1 }] })).rejects.toThrow();
    const renamed = await house.paddle.products.update(product.id, { name: "Extras" });
    expect(renamed).toMatchObject({ id: product.id, name: "Extras" });
    await house.settle();
    expect(house.typesOf(product.id, price.id)).toEqual([
      "product.created",
      "price.created",
      "price.updated",
      "product.updated",
    ]);
  });

  test("R-SRV-10 prices are shown in the money of the place, or as the price itself says for it", async () => {
    const items = [{ priceId: PRICES.basic, quantity: 2 }];
    const shown = async (countryCode: "US" | "JP" | "GB") => {
      const { currencyCode, details } = await house.paddle.pricingPreview.preview({ items, address: { countryCode } });
      return [currencyCode, details.lineItems[0]?.totals.total, details.lineItems[0]?.formattedTotals.total];
    };
    expect(await shown("US")).toEqual(["USD", "5800", "$58.00"]);
    expect(await shown("JP")).toEqual(["JPY", "8700", "¥8,700"]);
    await house.paddle.prices.update(PRICES.basic, {
      unitPriceOverrides: [{ countryCodes: ["GB"], unitPrice: { amount: "2500", currencyCode: "GBP" } }],
    });
    expect(await shown("GB")).toEqual(["GBP", "5000", "£50.00"]);
    await house.control("PATCH", "/settings", { country: "DE", taxPercent: 19 });
    const here = await call(house.url, "POST", "/pricing-preview", {
      items: [{ price_id: PRICES.growth, quantity: 1 }],
    });
    await house.control("PATCH", "/settings", { country: "US", taxPercent: 0 });
    expect(spec.checkReply("POST", "/pricing-preview", 200, here.body)).toEqual({ ok: true });
    const { currency_code, details } = here.body.data;
    expect([currency_code, details.line_items[0].totals]).toEqual([
      "EUR",
      { subtotal: "6108", discount: "0", tax: "1160", total: "7268" },
    ]);
  });
});

describe("customers and transactions", () => {
  test("R-SRV-10 an address belongs to one customer, and can be found by it", async () => {
    const customer = await newCustomer();
    await expect(house.paddle.customers.create({ email: customer.email.toUpperCase() })).rejects.toMatchObject({
      code: "customer_already_exists",
    });
    const found = await house.paddle.customers.list({ email: [customer.email] }).next();
    expect(found.map(({ id }) => id)).toEqual([customer.id]);
    const renamed = await house.paddle.customers.update(customer.id, { name: "Jo" });
    expect(renamed).toMatchObject({ id: customer.id, name: "Jo", email: customer.email });
  });

  test("R-SRV-10 a transaction made by the server is a draft until it has a buyer, and is opened by its id", async () => {
    const draft = await house.paddle.transactions.create({
      items: [{ priceId: PRICES.pack100, quantity: 3 }],
      customData: { purchase_ref: "pur_1" },
    });
    expect(draft).toMatchObject({ status: "draft", origin: "api", details: { totals: { total: "4050" } } });
    const opened = await house.control("POST", "/checkouts", {
      transaction_id: draft.id,
      customer: { email: "opened@example.com" },
      card: { number: CARDS.good },
    });
    expect(opened.body).toMatchObject({
      outcome: "completed",
      transaction: { id: draft.id, custom_data: { purchase_ref: "pur_1" } },
    });
    const full = await call(house.url, "GET", `/transactions/${draft.id}?include=customer,address,adjustments_totals`);
    expect(full.body.data.customer.email).toBe("opened@example.com");
    expect(spec.checkReply("GET", "/transactions/{transaction_id}", 200, full.body)).toEqual({ ok: true });
    const { url } = await house.paddle.transactions.getInvoicePDF(draft.id);
    expect(url).toMatch(/\/invoices\/inv_[a-z\d]{26}\?token=/);
  });

  test("R-SRV-10 a transaction knows its limits: quantity, currency, invoice before payment", async () => {
    const create = (quantity: number) =>
      house.paddle.transactions.create({ items: [{ priceId: PRICES.basic, quantity }] });
    await expect(create(101)).rejects.toMatchObject({ code: "transaction_item_quantity_out_of_range" });
    const open = await create(1);
    await expect(house.paddle.transactions.getInvoicePDF(open.id)).rejects.toMatchObject({
      code: "transaction_invoice_not_available",
    });
    const canceled = await house.paddle.transactions.update(open.id, { status: "canceled" });
    expect(canceled.status).toBe("canceled");
    await expect(house.paddle.transactions.update(open.id, { customData: {} })).rejects.toMatchObject({
      code: "transaction_immutable",
    });
  });

  test("R-SRV-10 lists go on page by page, newest first, and filter", async () => {
    const customer = await newCustomer();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const items = [{ priceId: PRICES.pack100, quantity: 1 }];
      made.push((await house.paddle.transactions.create({ items, customerId: customer.id })).id);
    }
    const list = house.paddle.transactions.list({ customerId: [customer.id], perPage: 2 });
    const pages = [];
    while (list.hasMore) pages.push((await list.next()).map(({ id }) => id));
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(made.toReversed());
    expect(await house.paddle.transactions.list({ customerId: [customer.id], status: ["completed"] }).next()).toEqual(
      [],
    );
    expect((await call(house.url, "GET", "/transactions?after=txn_nothing")).status).toBe(400);
  });

  test("R-SRV-10 a portal session has its links, and only for the customer's own subscriptions", async () => {
    const { transaction } = await house.buy(PRICES.growth, CARDS.good);
    const id = transaction.subscription_id ?? "";
    const { urls } = await house.paddle.customerPortalSessions.create(transaction.customer_id, [id]);
    expect(urls.general.overview).toMatch(`${house.url}/portal/`);
    expect(urls.subscriptions[0]).toMatchObject({
      id,
      cancelSubscription: `${urls.general.overview}/subscriptions/${id}/cancel`,
    });
    const stranger = await newCustomer();
    await expect(house.paddle.customerPortalSessions.create(stranger.id, [id])).rejects.toMatchObject({
      code: "entity_not_found",
    });
  });

  test("R-SRV-10 events are listed oldest first and go on after one of them", async () => {
    await newCustomer();
    const [first, second] = await house.paddle.events.list({ perPage: 2 }).next();
    const [next] = await house.paddle.events.list({ after: first?.eventId ?? "", perPage: 1 }).next();
    expect(next?.eventId).toBe(second?.eventId);
    const types = await house.paddle.eventTypes.list();
    expect(types.map(({ name }) => name)).toContain("transaction.completed");
  });
});
