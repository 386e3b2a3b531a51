import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CARDS,
  DAY_MS,
  type Harness,
  PRICES,
  startHarness,
  subscribe,
  totalOf,
  transactionsOf,
} from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.close());

describe("time", () => {
  test("R-SRV-10 renewals happen every month, each with its transaction and period, in order", async () => {
    const { id } = await subscribe(harness);
    const before = await harness.paddle.subscriptions.get(id);
    const from = harness.receiver.received.length;
    await harness.moveTo(70);
    const after = await harness.paddle.subscriptions.get(id);
    const all = await transactionsOf(harness, id);
    expect(all.map(({ origin, status }) => [origin, status])).toEqual([
      ["web", "completed"],
      ["subscription_recurring", "completed"],
      ["subscription_recurring", "completed"],
    ]);
    expect(all.map(totalOf)).toEqual(["2900", "2900", "2900"]);
    expect(all[1]?.billingPeriod?.startsAt).toBe(before.currentBillingPeriod?.endsAt);
    expect(all[2]?.billingPeriod).toEqual(after.currentBillingPeriod);
    expect(after).toMatchObject({ status: "active", nextBilledAt: after.currentBillingPeriod?.endsAt });
    const sent = harness.receiver.received.slice(from).map(({ event }) => event);
    const month = [
      "transaction.created",
      "transaction.ready",
      "transaction.paid",
      "transaction.completed",
      "subscription.updated",
    ];
    expect(sent.map(({ event_type }) => event_type)).toEqual([...month, ...month]);
    const times = sent.map(({ occurred_at }) => occurred_at);
    expect(times).toEqual(times.toSorted());
    const due = Date.parse(before.nextBilledAt ?? "");
    expect(Date.parse(times[0] ?? "") - due).toBeLessThan(1_000);
  });

  test("R-SRV-10 a month without the billing day bills on its last day; later months use the day again", async () => {
    const start = Date.UTC(2027, 0, 31, 12);
    await harness.control("POST", "/clock", { offsetMs: start - Date.now() });
    const { id } = await subscribe(harness);
    const ends = [];
    for (const days of [0, 32, 62]) {
      await harness.control("POST", "/clock", { offsetMs: start + days * DAY_MS - Date.now() });
      ends.push((await harness.paddle.subscriptions.get(id)).currentBillingPeriod?.endsAt.slice(0, 10));
    }
    expect(ends).toEqual(["2027-02-28", "2027-03-31", "2027-04-30"]);
  });

  test("R-SRV-10 A-99 a card that is declined later: past due, retried, then canceled", async () => {
    const { id } = await subscribe(harness, PRICES.basic, CARDS.declinedLater);
    await harness.moveTo(32);
    expect((await harness.paddle.subscriptions.get(id)).status).toBe("past_due");
    const [, unpaid] = await transactionsOf(harness, id);
    expect(unpaid).toMatchObject({ status: "past_due", payments: [{ status: "error", errorCode: "declined" }] });
    await harness.moveTo(50);
    const ended = await harness.paddle.subscriptions.get(id);
    expect(ended).toMatchObject({ status: "canceled", nextBilledAt: null, currentBillingPeriod: null });
    expect(harness.typesOf(unpaid?.id ?? "")).toEqual([
      "transaction.created",
      "transaction.ready",
      "transaction.payment_failed",
      "transaction.past_due",
      "transaction.payment_failed",
      "transaction.payment_failed",
      "transaction.payment_failed",
      "transaction.canceled",
    ]);
    expect(harness.typesOf(id).slice(-2)).toEqual(["subscription.past_due", "subscription.canceled"]);
  });

  test("R-SRV-10 A-99 a new card pays what is past due; dunning may also end in a pause", async () => {
    await harness.control("PATCH", "/settings", { dunningEnd: "paused" });
    const [fixed, left] = [
      await subscribe(harness, PRICES.basic, CARDS.declinedLater),
      await subscribe(harness, PRICES.basic, CARDS.declinedLater),
    ];
    await harness.moveTo(32);
    const card = { number: CARDS.good };
    const { body } = await harness.control("POST", `/subscriptions/${fixed.id}/payment-method`, { card });
    expect(body).toMatchObject({ outcome: "completed", transaction: { status: "completed" } });
    await harness.moveTo(50);
    expect((await harness.paddle.subscriptions.get(fixed.id)).status).toBe("active");
    expect(harness.typesOf(fixed.id).slice(-2)).toEqual(["subscription.updated", "subscription.activated"]);
    expect((await harness.paddle.subscriptions.get(left.id)).status).toBe("paused");
  });
});
