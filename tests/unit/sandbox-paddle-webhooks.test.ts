import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CARDS,
  call,
  type Harness,
  PREVIOUS_SECRET,
  PRICES,
  type Received,
  SECRET,
  spec,
  startHarness,
} from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.close());

/** Emits an event of this type, and returns the received webhooks. */
async function emit(eventType = "customer.updated", data: Record<string, unknown> = { id: "ctm_x", status: "ok" }) {
  const from = harness.receiver.received.length;
  await harness.control("POST", "/events", { event_type: eventType, data });
  await harness.settle();
  return harness.receiver.received.slice(from);
}

const parseSignature = ({ signature = "" }: Received) => ({
  ts: Number(/ts=(\d+)/.exec(signature)?.[1]),
  h1: [...signature.matchAll(/h1=([0-9a-f]{64})/g)].map(([, hex]) => hex),
});

const hashOf = (item: Received, secret: string) =>
  createHmac("sha256", secret)
    .update(`${parseSignature(item).ts}:${item.body}`)
    .digest("hex");

/** The signatures that are valid with this secret. */
const fitting = (item: Received, secret = SECRET) => parseSignature(item).h1.map((hex) => hex === hashOf(item, secret));

const LONG_WAIT = { timeout: 20_000 };

const on = (scenario: string, more: Record<string, unknown> = { times: 1 }) =>
  harness.control("POST", `/scenarios/webhook-${scenario}`, more);

describe("webhooks", () => {
  test("R-SRV-10 each event has the fields of Paddle's own samples", async () => {
    const samples: Record<string, { data: object }> = JSON.parse(
      readFileSync(new URL("../../sandbox/contracts/paddle-webhook-samples.facts.json", import.meta.url), "utf8"),
    );
    const { transaction } = await harness.buy(PRICES.basic, CARDS.declinedLater);
    await harness.buy(PRICES.pack100, CARDS.declined);
    await harness.control("POST", "/chargebacks", { transaction_id: transaction.id });
    await harness.moveTo(50);
    const seen = new Map(harness.receiver.received.map(({ event }) => [event.event_type, event]));
    const shapeOf = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
      if (typeof value !== "object" || value === null) return value === null ? null : typeof value;
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)]));
    };
    const lacking = [...seen].flatMap(([type, { data }]) => {
      const sample = samples[type]?.data ?? {};
      return Object.keys(sample)
        .filter((key) => !(key in data))
        .map((key) => `${type}: ${key}`);
    });
    expect(lacking).toEqual([]);
    const compared = [...seen.keys()].filter((type) => type in samples);
    expect(compared).toEqual(
      expect.arrayContaining(["transaction.completed", "subscription.past_due", "subscription.canceled"]),
    );
    const completed = shapeOf(seen.get("transaction.completed")?.data);
    expect(completed).toMatchObject({
      details: { totals: shapeOf(Object(samples["transaction.completed"]?.data).details.totals) },
    });
    expect(seen.get("subscription.canceled")?.data).not.toHaveProperty("management_urls");
  });

  test("R-SRV-10 each event has the shape of the official description", async () => {
    const { transaction } = await harness.buy(PRICES.basic, CARDS.declinedLater);
    const kept = await harness.buy(PRICES.growth, CARDS.good);
    await harness.buy(PRICES.pack100, CARDS.declined);
    await harness.control("POST", "/chargebacks", { transaction_id: transaction.id });
    await harness.paddle.subscriptions.cancel(kept.transaction.subscription_id ?? "", {});
    await harness.paddle.products.create({ name: "More", taxCategory: "standard" });
    await harness.moveTo(50);
    const wrong = harness.receiver.received.flatMap(({ event }) => {
      const verdict = spec.checkWebhook(event.event_type, event);
      return verdict.ok ? [] : [`${event.event_type}: ${verdict.errors.join()}`];
    });
    expect(new Set(wrong)).toEqual(new Set());
    expect(new Set(harness.receiver.received.map(({ event }) => event.event_type)).size).toBeGreaterThan(14);
  });

  test("R-SRV-10 webhooks are signed with the secret and the stand-in's time", async () => {
    const [now] = await emit();
    expect(now && fitting(now)).toEqual([true]);
    await harness.moveTo(3);
    const [later] = await emit();
    expect(later && fitting(later)).toEqual([true]);
    const days = ((later ? parseSignature(later).ts : 0) - (now ? parseSignature(now).ts : 0)) / 86_400;
    expect(days).toBeCloseTo(3, 2);
    expect(Date.parse(later?.event.occurred_at ?? "") / 1000 - (later ? parseSignature(later).ts : 0)).toBeLessThan(2);
  });

  test("R-SRV-10 a webhook is sent again with a new time until the response is 200", async () => {
    await harness.control("PATCH", "/settings", { webhookRetryMs: 60_000 });
    harness.receiver.answer.status = 500;
    const [first] = await emit();
    harness.receiver.answer.status = 200;
    await harness.control("POST", "/clock", { offsetMs: 61_000 });
    await harness.settle();
    const all = harness.receiver.received;
    expect(all.map(({ event }) => event.event_id)).toEqual([first?.event.event_id, first?.event.event_id]);
    expect(all.map(({ event }) => event.notification_id)).toEqual([
      first?.event.notification_id,
      first?.event.notification_id,
    ]);
    const [before, after] = all.map((item) => parseSignature(item).ts);
    expect((after ?? 0) - (before ?? 0)).toBeGreaterThanOrEqual(60);
    expect(all.map((item) => fitting(item))).toEqual([[true], [true]]);
    const { body } = await harness.control("GET", "/webhooks");
    expect(body.notifications).toMatchObject([{ status: "delivered", attempts: [{ status: 500 }, { status: 200 }] }]);
    const log = await harness.control("GET", "/log");
    expect(log.body.requests).toMatchObject([
      { method: "WEBHOOK", path: "/customer.updated", status: 500 },
      { method: "WEBHOOK", path: "/customer.updated", status: 200 },
    ]);
  });

  test("R-SRV-10 sending stops after the last retry; a replay is a new notification of the same event", async () => {
    await harness.control("PATCH", "/settings", { webhookRetries: 0 });
    harness.receiver.answer.status = 503;
    const [lost] = await emit();
    const { body } = await harness.control("GET", "/webhooks");
    expect(body.notifications).toMatchObject([{ id: lost?.event.notification_id, status: "failed", attempts: [{}] }]);
    harness.receiver.answer.status = 200;
    const replayed = await harness.control("POST", `/webhooks/${lost?.event.notification_id}/replay`);
    expect(replayed.status).toBe(201);
    await harness.settle();
    const again = harness.receiver.received.at(-1)?.event;
    expect(again?.event_id).toBe(lost?.event.event_id);
    expect(again?.notification_id).not.toBe(lost?.event.notification_id);
  });

  test("R-SRV-10 webhooks on hold are sent in the requested order, shuffled equally for the same seed", async () => {
    const orders = [];
    for (const query of ["order=forward", "order=reverse", "order=shuffle&seed=7", "order=shuffle&seed=7"]) {
      const from = harness.receiver.received.length;
      await harness.control("POST", "/webhooks/hold");
      for (let id = 0; id < 20; id += 1) await emit("customer.updated", { id });
      expect(harness.receiver.received.length).toBe(from);
      await harness.control("POST", `/webhooks/release?${query}`);
      await harness.settle();
      orders.push(harness.receiver.received.slice(from).map(({ event }) => event.data.id));
    }
    const [forward, reverse, shuffled, again] = orders;
    expect(forward).toEqual(Array.from({ length: 20 }, (_, id) => id));
    expect(reverse).toEqual(forward?.toReversed());
    expect(shuffled).not.toEqual(forward);
    expect(again).toEqual(shuffled);
    expect((await harness.control("POST", "/webhooks/release?order=odd")).status).toBe(400);
  });
});

describe("faults of webhooks", () => {
  test("R-SRV-10 sent twice, replayed, sent after the next, lost", async () => {
    await on("duplicate");
    const twice = await emit();
    expect(twice.map(({ event }) => event.notification_id)).toEqual(Array(2).fill(twice[0]?.event.notification_id));
    await on("replayed");
    const replayed = await emit();
    expect(new Set(replayed.map(({ event }) => event.event_id)).size).toBe(1);
    expect(new Set(replayed.map(({ event }) => event.notification_id)).size).toBe(2);
    await on("answer-lost");
    await harness.control("PATCH", "/settings", { webhookRetryMs: 1 });
    await emit();
    await expect.poll(() => harness.receiver.received.length, LONG_WAIT).toBe(6);
    await harness.control("POST", "/webhooks/hold");
    await on("reversed");
    for (const id of ["one", "two", "three"]) await emit("customer.updated", { id });
    await harness.control("POST", "/webhooks/release");
    await harness.settle();
    expect(harness.receiver.received.slice(6).map(({ event }) => event.data.id)).toEqual(["two", "one", "three"]);
    await on("reversed", {});
    await harness.control("POST", "/webhooks/hold");
    for (const id of ["a", "b", "c", "d", "e"]) await emit("customer.updated", { id });
    await harness.control("POST", "/webhooks/release");
    await harness.settle();
    expect(harness.receiver.received.slice(9).map(({ event }) => event.data.id)).toEqual(["b", "a", "d", "c", "e"]);
    await harness.control("DELETE", "/faults");
    await on("lost");
    await emit("customer.updated", { id: "late" });
    await expect.poll(() => harness.receiver.received.at(-1)?.event.data.id, LONG_WAIT).toBe("late");
  });

  test.each([
    ["two-signatures-first", [true, false]],
    ["two-signatures-last", [false, true]],
    ["altered", [false]],
    ["wrong-secret", [false]],
    ["unsigned", []],
  ])("R-SRV-10 %s", async (scenario, right) => {
    await on(scenario);
    const [item, other] = await emit("transaction.paid", { id: "txn_x", status: "paid", total: "5" });
    expect(item && fitting(item)).toEqual(right);
    expect(other).toBeUndefined();
    if (scenario === "unsigned") expect(item?.signature).toBeUndefined();
    if (scenario === "altered") expect(item?.event.data).toMatchObject({ status: "completed", total: "1" });
  });

  test("R-SRV-10 signed ten minutes ago, ten minutes in the future, with the old secret", async () => {
    const [plain] = await emit();
    const shifts: Record<string, number> = { stale: -600, future: 600 };
    for (const [scenario, seconds] of Object.entries(shifts)) {
      await on(scenario);
      const [item] = await emit();
      expect(item && fitting(item)).toEqual([true]);
      const shift = (item ? parseSignature(item).ts : 0) - (plain ? parseSignature(plain).ts : 0);
      expect(Math.abs(shift - seconds)).toBeLessThan(30);
    }
    await on("old-secret");
    const [old] = await emit();
    expect(old && [fitting(old), fitting(old, PREVIOUS_SECRET)]).toEqual([[false], [true]]);
  });

  test("R-SRV-10 a fault for any call does not affect webhooks, and is not used up by them", async () => {
    await harness.control("POST", "/scenarios/server-error", { times: 1 });
    expect((await emit()).map((item) => fitting(item))).toEqual([[true]]);
    expect((await call(harness.url, "GET", "/events")).status).toBe(500);
  });

  test("R-SRV-10 an event of an unknown type comes first; faults can be limited to a customer's events", async () => {
    await on("unknown-type", { times: 1, where: { customer: "ctm_a" } });
    expect(await emit("customer.updated", { id: "x", customer_id: "ctm_b" })).toHaveLength(1);
    const both = await emit("transaction.paid", { id: "y", customer_id: "ctm_a" });
    expect(both.map(({ event }) => event.event_type)).toEqual(["report.unknown", "transaction.paid"]);
    expect(new Set(both.map(({ event }) => event.event_id)).size).toBe(2);
  });
});
