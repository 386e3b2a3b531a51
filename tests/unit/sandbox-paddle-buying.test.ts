import { EventName } from "@paddle/paddle-node-sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CARDS, call, type House, PRICES, SECRET, spec, startHouse } from "./sandbox-paddle-client.ts";

let house: House;
beforeAll(async () => {
  house = await startHouse();
});
afterAll(() => house.close());

describe("buying", () => {
  test("R-SRV-10 a pack is created, ready, paid and completed, in this order and with the money it costs", async () => {
    const { outcome, transaction } = await house.buy(PRICES.pack100, CARDS.good);
    expect(outcome).toBe("completed");
    await house.settle();
    expect(house.typesOf(transaction.id)).toEqual([
      "transaction.created",
      "transaction.ready",
      "transaction.paid",
      "transaction.completed",
    ]);
    const read = await house.paddle.transactions.get(transaction.id);
    expect(read).toMatchObject({ status: "completed", origin: "web", subscriptionId: null, currencyCode: "USD" });
    expect(read.details?.totals).toMatchObject({ total: "1350", grandTotal: "1350", balance: "0", tax: "0" });
    expect(read.items[0]?.price?.id).toBe(PRICES.pack100);
    expect(read.customData).toEqual({ user_id: "usr_1" });
    expect(read.payments[0]).toMatchObject({ status: "captured", errorCode: null, methodDetails: { type: "card" } });
    expect(house.typesOf(transaction.customer_id)).toEqual(["customer.created"]);
  });

  test("R-SRV-10 a plan begins a subscription of a month, told of with the transaction's id once", async () => {
    const { transaction } = await house.buy(PRICES.basic, CARDS.good);
    const id = transaction.subscription_id ?? "";
    await house.settle();
    expect(house.typesOf(id)).toEqual(["subscription.created", "subscription.activated"]);
    const told = house.receiver.received.filter(({ event }) => event.data.id === id);
    expect(told.map(({ event }) => event.data.transaction_id)).toEqual([transaction.id, undefined]);
    const subscription = await house.paddle.subscriptions.get(id);
    expect(subscription).toMatchObject({ status: "active", scheduledChange: null, customData: { user_id: "usr_1" } });
    const { startsAt = "", endsAt = "" } = subscription.currentBillingPeriod ?? {};
    const days = (Date.parse(endsAt) - Date.parse(startsAt)) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(28);
    expect(days).toBeLessThanOrEqual(31);
    expect(subscription.nextBilledAt).toBe(endsAt);
    expect(subscription.managementUrls?.cancel).toContain(`/subscriptions/${id}/cancel`);
    const raw = await call(house.url, "GET", `/subscriptions/${id}`);
    expect(spec.checkReply("GET", "/subscriptions/{subscription_id}", 200, raw.body)).toEqual({ ok: true });
    const rawTransaction = await call(house.url, "GET", `/transactions/${transaction.id}`);
    expect(spec.checkReply("GET", "/transactions/{transaction_id}", 200, rawTransaction.body)).toEqual({ ok: true });
  });

  test("R-SRV-10 a declined card leaves the transaction ready; another card pays it, once", async () => {
    const declined = await house.buy(PRICES.pack500, CARDS.declined);
    expect(declined).toMatchObject({ outcome: "declined", errorCode: "declined", transaction: { status: "ready" } });
    const { id } = declined.transaction;
    const again = { transaction_id: id, card: { number: CARDS.good } };
    const { body } = await house.control("POST", "/checkouts", again);
    expect(body.outcome).toBe("completed");
    expect(body.transaction.payments.map(({ status }) => status)).toEqual(["captured", "error"]);
    await house.settle();
    expect(house.typesOf(id)).toContain("transaction.payment_failed");
    expect(await house.control("POST", "/checkouts", again)).toMatchObject({
      status: 400,
      body: { code: "transaction_immutable" },
    });
  });

  test("R-SRV-10 a card past its date is refused with its reason, a card of 3-D Secure asks the bank", async () => {
    const expired = await house.buy(PRICES.pack100, CARDS.good, {
      card: { number: CARDS.good, expiry_month: 1, expiry_year: 2020 },
    });
    expect(expired).toMatchObject({ outcome: "declined", errorCode: "expired_card" });
    expect((await house.buy(PRICES.pack100, CARDS.challenged)).outcome).toBe("challenge");
  });

  test("R-SRV-10 the SDK reads each webhook that was signed, and tells its type", async () => {
    const { transaction } = await house.buy(PRICES.basic, CARDS.good);
    await house.settle();
    const about = house.receiver.received.filter(({ event }) => {
      const { id, transaction_id } = event.data;
      return [id, transaction_id].includes(transaction.id) || id === transaction.subscription_id;
    });
    expect(about.length).toBeGreaterThan(5);
    for (const { body, signature, event } of about) {
      const read = await house.paddle.webhooks.unmarshal(body, SECRET, signature ?? "");
      expect(read.eventType).toBe(event.event_type);
      expect(read.eventId).toBe(event.event_id);
    }
    const types = about.map(({ event }) => event.event_type);
    expect(types).toContain(EventName.TransactionCompleted);
    expect(about.map(({ event }) => event.occurred_at)).toEqual(about.map(({ event }) => event.occurred_at).toSorted());
  });
});
