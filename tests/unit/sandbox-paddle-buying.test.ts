import { EventName } from "@paddle/paddle-node-sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CARDS, call, type Harness, PRICES, SECRET, spec, startHarness } from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

describe("buying", () => {
  test("R-SRV-10 a pack is created, ready, paid and completed, in this order and with its price", async () => {
    const { outcome, transaction } = await harness.buy(PRICES.pack100, CARDS.good);
    expect(outcome).toBe("completed");
    await harness.settle();
    expect(harness.typesOf(transaction.id)).toEqual([
      "transaction.created",
      "transaction.ready",
      "transaction.paid",
      "transaction.completed",
    ]);
    const read = await harness.paddle.transactions.get(transaction.id);
    expect(read).toMatchObject({ status: "completed", origin: "web", subscriptionId: null, currencyCode: "USD" });
    expect(read.details?.totals).toMatchObject({ total: "1350", grandTotal: "1350", balance: "0", tax: "0" });
    expect(read.items[0]?.price?.id).toBe(PRICES.pack100);
    expect(read.customData).toEqual({ user_id: "usr_1" });
    expect(read.payments[0]).toMatchObject({ status: "captured", errorCode: null, methodDetails: { type: "card" } });
    expect(harness.typesOf(transaction.customer_id)).toEqual(["customer.created"]);
  });

  test("R-SRV-10 a plan starts a monthly subscription, whose events contain the transaction's id once", async () => {
    const { transaction } = await harness.buy(PRICES.basic, CARDS.good);
    const id = transaction.subscription_id ?? "";
    await harness.settle();
    expect(harness.typesOf(id)).toEqual(["subscription.created", "subscription.activated"]);
    const sent = harness.receiver.received.filter(({ event }) => event.data.id === id);
    expect(sent.map(({ event }) => event.data.transaction_id)).toEqual([transaction.id, undefined]);
    const subscription = await harness.paddle.subscriptions.get(id);
    expect(subscription).toMatchObject({ status: "active", scheduledChange: null, customData: { user_id: "usr_1" } });
    const { startsAt = "", endsAt = "" } = subscription.currentBillingPeriod ?? {};
    const days = (Date.parse(endsAt) - Date.parse(startsAt)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(28);
    expect(days).toBeLessThanOrEqual(31);
    expect(subscription.nextBilledAt).toBe(endsAt);
    expect(subscription.managementUrls?.cancel).toContain(`/subscriptions/${id}/cancel`);
    const raw = await call(harness.url, "GET", `/subscriptions/${id}`);
    expect(spec.checkReply("GET", "/subscriptions/{subscription_id}", 200, raw.body)).toEqual({ ok: true });
    const rawTransaction = await call(harness.url, "GET", `/transactions/${transaction.id}`);
    expect(spec.checkReply("GET", "/transactions/{transaction_id}", 200, rawTransaction.body)).toEqual({ ok: true });
  });

  test("R-SRV-10 a declined card leaves the transaction ready; another card pays it once", async () => {
    const declined = await harness.buy(PRICES.pack500, CARDS.declined);
    expect(declined).toMatchObject({ outcome: "declined", errorCode: "declined", transaction: { status: "ready" } });
    const { id } = declined.transaction;
    const again = { transaction_id: id, card: { number: CARDS.good } };
    const { body } = await harness.control("POST", "/checkouts", again);
    expect(body.outcome).toBe("completed");
    expect(body.transaction.payments.map(({ status }) => status)).toEqual(["captured", "error"]);
    await harness.settle();
    expect(harness.typesOf(id)).toContain("transaction.payment_failed");
    expect(await harness.control("POST", "/checkouts", again)).toMatchObject({
      status: 400,
      body: { code: "transaction_immutable" },
    });
  });

  test("R-SRV-10 an expired card is declined with its reason, a 3-D Secure card needs confirmation", async () => {
    const expired = await harness.buy(PRICES.pack100, CARDS.good, {
      card: { number: CARDS.good, expiry_month: 1, expiry_year: 2020 },
    });
    expect(expired).toMatchObject({ outcome: "declined", errorCode: "expired_card" });
    expect((await harness.buy(PRICES.pack100, CARDS.challenged)).outcome).toBe("challenge");
  });

  test("R-SRV-10 the SDK accepts each signed webhook and reads its type", async () => {
    const { transaction } = await harness.buy(PRICES.basic, CARDS.good);
    await harness.settle();
    const about = harness.receiver.received.filter(({ event }) => {
      const { id, transaction_id } = event.data;
      return [id, transaction_id].includes(transaction.id) || id === transaction.subscription_id;
    });
    expect(about.length).toBeGreaterThan(5);
    for (const { body, signature, event } of about) {
      const read = await harness.paddle.webhooks.unmarshal(body, SECRET, signature ?? "");
      expect(read.eventType).toBe(event.event_type);
      expect(read.eventId).toBe(event.event_id);
    }
    const types = about.map(({ event }) => event.event_type);
    expect(types).toContain(EventName.TransactionCompleted);
    expect(about.map(({ event }) => event.occurred_at)).toEqual(about.map(({ event }) => event.occurred_at).toSorted());
  });
});
