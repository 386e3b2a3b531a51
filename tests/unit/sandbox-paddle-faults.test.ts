import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CARDS, call, type Harness, PRICES, startHarness } from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterEach(async () => void (await harness.control("DELETE", "/faults")));
afterAll(() => harness.close());

const on = (scenario: string, more: Record<string, unknown> = { times: 1 }) =>
  harness.control("POST", `/scenarios/${scenario}`, more);

describe("faults of the API", () => {
  test("R-SRV-10 too many requests with Retry-After, a failing server, broken JSON, a cut connection", async () => {
    const path = `/prices/${PRICES.basic}`;
    await on("rate-limited");
    const limited = await call(harness.url, "GET", path);
    expect(limited).toMatchObject({ status: 429, body: { error: { code: "too_many_requests" } } });
    expect(limited.headers.get("retry-after")).toBe("2");
    await on("rate-limited");
    await expect(harness.paddle.prices.get(PRICES.basic)).rejects.toMatchObject({
      code: "too_many_requests",
      retryAfter: 2,
    });
    await on("server-error");
    expect((await call(harness.url, "GET", path)).body.error.type).toBe("api_error");
    await on("malformed");
    await expect(call(harness.url, "GET", path)).rejects.toThrow(SyntaxError);
    await on("cut");
    await expect(call(harness.url, "GET", path)).rejects.toThrow();
    expect((await call(harness.url, "GET", path)).status).toBe(200);
  });

  test("R-SRV-10 R-PAY-03 a transaction of another user, of an unknown price, not yet completed, missing", async () => {
    const { transaction } = await harness.buy(PRICES.pack100, CARDS.good);
    const read = async () => (await call(harness.url, "GET", `/transactions/${transaction.id}`)).body;
    await on("foreign-user");
    expect((await read()).data.custom_data).not.toEqual({ user_id: "usr_1" });
    await on("foreign-price");
    expect((await read()).data.items[0].price.id).not.toBe(PRICES.pack100);
    await on("stays-paid", { times: 2 });
    expect([await read(), await read(), await read()].map(({ data }) => data.status)).toEqual([
      "paid",
      "paid",
      "completed",
    ]);
    await on("transaction-not-found", { where: { user: "usr_1" } });
    expect((await read()).error.code).toBe("entity_not_found");
  });

  test("R-SRV-10 a change is made, and its response is lost", async () => {
    const { transaction } = await harness.buy(PRICES.basic, CARDS.good);
    const id = transaction.subscription_id ?? "";
    await on("cancel-reply-lost", { times: 1, where: { subscription: id } });
    await expect(harness.paddle.subscriptions.cancel(id, {})).rejects.toThrow();
    const { scheduledChange } = await harness.paddle.subscriptions.get(id);
    expect(scheduledChange?.action).toBe("cancel");
    await on("change-server-error");
    await expect(harness.paddle.subscriptions.update(id, { scheduledChange: null })).rejects.toMatchObject({
      code: "internal_error",
    });
    expect((await harness.paddle.subscriptions.get(id)).scheduledChange).toBeNull();
    await on("already-canceled");
    await expect(harness.paddle.subscriptions.cancel(id, {})).rejects.toMatchObject({
      code: "subscription_is_canceled_action_invalid",
    });
  });
});

describe("control", () => {
  test("R-SRV-10 everything survives a restart: entities, events, pending webhooks, faults, clock", async () => {
    const own = await startHarness();
    const { transaction } = await own.buy(PRICES.basic, CARDS.declinedLater);
    const pack = await own.buy(PRICES.pack100, CARDS.good);
    await own.settle();
    await own.control("POST", "/webhooks/hold");
    await own.control("POST", "/refunds", { transaction_id: pack.transaction.id });
    await own.control("POST", "/scenarios/slow", { times: 1, where: { customer: "ctm_none" } });
    const before = await own.paddle.subscriptions.get(transaction.subscription_id ?? "");
    const from = own.receiver.received.length;
    await own.restart();
    await own.settle();
    expect(own.receiver.received.length).toBe(from);
    await own.control("POST", "/webhooks/release");
    await own.settle();
    expect(own.receiver.received.slice(from).map(({ event }) => event.event_type)).toEqual(["adjustment.created"]);
    const { managementUrls: _, ...kept } = await own.paddle.subscriptions.get(before.id);
    expect(before).toMatchObject(kept);
    expect((await own.control("GET", "/state")).body).toMatchObject({ faults: 1, counts: { subscriptions: 1 } });
    await own.moveTo(32);
    expect((await own.paddle.subscriptions.get(before.id)).status).toBe("past_due");
    await own.restart();
    await own.restart();
    expect((await own.paddle.subscriptions.get(before.id)).status).toBe("past_due");
    await own.close();
  });

  test("R-SRV-10 a reset restores the initial state, with the catalog and nothing else", async () => {
    const own = await startHarness();
    await own.buy(PRICES.basic, CARDS.good);
    await own.settle();
    await own.control("POST", "/reset");
    expect((await own.control("GET", "/state")).body.counts).toEqual({
      customers: 0,
      transactions: 0,
      subscriptions: 0,
      adjustments: 0,
      events: 0,
      "webhooks waiting": 0,
    });
    expect((await own.paddle.prices.get(PRICES.basic)).unitPrice.amount).toBe("2900");
    await own.close();
  });

  test("R-SRV-10 invalid control calls are rejected with a message", async () => {
    expect(await harness.control("POST", "/checkouts", { items: [{ price_id: "pri_no" }] })).toMatchObject({
      status: 404,
    });
    expect(await harness.control("POST", "/checkouts", {})).toMatchObject({ status: 400 });
    expect(await harness.control("POST", "/adjustments/adj_no/approve")).toMatchObject({ status: 404 });
    expect(await harness.control("POST", "/events", {})).toMatchObject({ status: 400 });
    expect(await harness.control("POST", "/chargebacks", { transaction_id: "txn_no" })).toMatchObject({ status: 404 });
    const foreign = await fetch(`${harness.url}/__control/state`, { headers: { origin: "https://elsewhere.example" } });
    expect(foreign.status).toBe(403);
    const page = await fetch(`${harness.url}/__control/webhooks/hold`, {
      method: "POST",
      headers: { origin: "https://elsewhere.example" },
    });
    expect(page.status).toBe(403);
  });

  test("R-SRV-10 the log contains the calls and the customer", async () => {
    const { transaction } = await harness.buy(PRICES.basic, CARDS.good);
    const id = transaction.subscription_id ?? "";
    await harness.paddle.subscriptions.cancel(id, {});
    const { body } = await harness.control("GET", `/log?match=POST /subscriptions/${id}/cancel`);
    expect(body.requests).toMatchObject([
      { method: "POST", path: `/subscriptions/${id}/cancel`, status: 200, labels: { user: "usr_1", subscription: id } },
    ]);
  });
});
