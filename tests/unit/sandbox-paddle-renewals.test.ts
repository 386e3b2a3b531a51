import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CARDS,
  DAY_MS,
  type House,
  PRICES,
  startHouse,
  subscribe,
  totalOf,
  transactionsOf,
} from "./sandbox-paddle-client.ts";

let house: House;
beforeEach(async () => {
  house = await startHouse();
});
afterEach(() => house.close());

describe("time", () => {
  test("R-SRV-10 renewals come month after month, each with its transaction and its period, in order", async () => {
    const { id } = await subscribe(house);
    const before = await house.paddle.subscriptions.get(id);
    const from = house.receiver.received.length;
    await house.moveTo(70);
    const after = await house.paddle.subscriptions.get(id);
    const all = await transactionsOf(house, id);
    expect(all.map(({ origin, status }) => [origin, status])).toEqual([
      ["web", "completed"],
      ["subscription_recurring", "completed"],
      ["subscription_recurring", "completed"],
    ]);
    expect(all.map(totalOf)).toEqual(["2900", "2900", "2900"]);
    expect(all[1]?.billingPeriod?.startsAt).toBe(before.currentBillingPeriod?.endsAt);
    expect(all[2]?.billingPeriod).toEqual(after.currentBillingPeriod);
    expect(after).toMatchObject({ status: "active", nextBilledAt: after.currentBillingPeriod?.endsAt });
    const told = house.receiver.received.slice(from).map(({ event }) => event);
    const month = [
      "transaction.created",
      "transaction.ready",
      "transaction.paid",
      "transaction.completed",
      "subscription.updated",
    ];
    expect(told.map(({ event_type }) => event_type)).toEqual([...month, ...month]);
    const times = told.map(({ occurred_at }) => occurred_at);
    expect(times).toEqual(times.toSorted());
    const due = Date.parse(before.nextBilledAt ?? "");
    expect(Date.parse(times[0] ?? "") - due).toBeLessThan(1_000);
  });

  test("R-SRV-10 a month that lacks the day ends on its last; the day comes back", async () => {
    const start = Date.UTC(2027, 0, 31, 12);
    await house.control("POST", "/clock", { offsetMs: start - Date.now() });
    const { id } = await subscribe(house);
    const ends = [];
    for (const days of [0, 32, 62]) {
      await house.control("POST", "/clock", { offsetMs: start + days * DAY_MS - Date.now() });
      ends.push((await house.paddle.subscriptions.get(id)).currentBillingPeriod?.endsAt.slice(0, 10));
    }
    expect(ends).toEqual(["2027-02-28", "2027-03-31", "2027-04-30"]);
  });

  test("R-SRV-10 A-99 a card that declines later: past due, tried again, then canceled", async () => {
    const { id } = await subscribe(house, PRICES.basic, CARDS.declinedLater);
    await house.moveTo(32);
    expect((await house.paddle.subscriptions.get(id)).status).toBe("past_due");
    const [, unpaid] = await transactionsOf(house, id);
    expect(unpaid).toMatchObject({ status: "past_due", payments: [{ status: "error", errorCode: "declined" }] });
    await house.moveTo(50);
    const ended = await house.paddle.subscriptions.get(id);
    expect(ended).toMatchObject({ status: "canceled", nextBilledAt: null, currentBillingPeriod: null });
    expect(house.typesOf(unpaid?.id ?? "")).toEqual([
      "transaction.created",
      "transaction.ready",
      "transaction.payment_failed",
      "transaction.past_due",
      "transaction.payment_failed",
      "transaction.payment_failed",
      "transaction.payment_failed",
      "transaction.canceled",
    ]);
    expect(house.typesOf(id).slice(-2)).toEqual(["subscription.past_due", "subscription.canceled"]);
  });

  test("R-SRV-10 A-99 another card pays what is past due; dunning may also end in a pause", async () => {
    await house.control("PATCH", "/settings", { dunningEnd: "paused" });
    const [mended, left] = [
      await subscribe(house, PRICES.basic, CARDS.declinedLater),
      await subscribe(house, PRICES.basic, CARDS.declinedLater),
    ];
    await house.moveTo(32);
    const card = { number: CARDS.good };
    const { body } = await house.control("POST", `/subscriptions/${mended.id}/payment-method`, { card });
    expect(body).toMatchObject({ outcome: "completed", transaction: { status: "completed" } });
    await house.moveTo(50);
    expect((await house.paddle.subscriptions.get(mended.id)).status).toBe("active");
    expect(house.typesOf(mended.id).slice(-2)).toEqual(["subscription.updated", "subscription.activated"]);
    expect((await house.paddle.subscriptions.get(left.id)).status).toBe("paused");
  });
});
