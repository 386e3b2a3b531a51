import { eq, isNotNull } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { paymentEvents, payments } from "#db/schema/billing.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { confirmPurchase, confirmSubscription } from "#lib/features/billing/checkout.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { reconcilePayments } from "#lib/features/billing/reconciliation.ts";
import { collectEvents } from "#lib/features/billing/webhooks.ts";
import type { PaymentEvent, PaymentsPort } from "#lib/integrations/payments/port.ts";
import { providerId } from "#tests/support/billing.ts";
import { startTestPaddle, type TestPaddle } from "#tests/support/paddle.ts";
import { billingHouse } from "./billing-house.ts";

let paddle: TestPaddle;
beforeAll(async () => {
  paddle = await startTestPaddle();
});
afterAll(() => paddle.close());
beforeEach(() => paddle.clearFaults());

const { house, database, door, buyer, credits, plan, eventsOpen, termRow } = billingHouse({
  paddleUrl: () => paddle.url,
});

/** Beyond the minutes that are left to the webhooks. */
const SOON_MS = 5 * MINUTE_MS;
const bookmarks = async () =>
  (await database().db.select().from(paymentEvents).where(isNotNull(paymentEvents.listedAt))).map(
    ({ eventId }) => eventId,
  );

/** The door with a provider's list of our own. */
const listing = (listEvents: PaymentsPort["listEvents"]): FullCtx => {
  const { payments: real } = door();
  return { ...door(), payments: { ...real, listEvents } };
};
const eventAt = (eventId: string, occurredAt: Date): PaymentEvent => ({
  eventId,
  eventType: "customer.updated",
  occurredAt,
  fact: null,
  unreadable: null,
});

describe("collecting what no webhook brought", () => {
  test("a payment whose webhooks were all lost is given, once, and what came is left alone", async () => {
    const who = await buyer();
    await paddle.buy(who, "pack:free:100");
    await house().later(SOON_MS, async () => {
      expect((await collectEvents(door())).missing).toBeGreaterThan(0);
      expect(await applyEvent(door(), { eventId: "" })).toMatchObject({ failed: 0, left: "none" });
      expect(await credits(who)).toEqual([5, 100]);
      expect(await collectEvents(door())).toEqual({ missing: 0, read: 0 });
    });
    await paddle.buy(who, "pack:free:300");
    await house().later(2 * SOON_MS, async () => {
      const collected = await collectEvents(door());
      expect(collected.missing).toBe(collected.read);
      await applyEvent(door(), { eventId: "" });
    });
    expect(await credits(who)).toEqual([5, 400]);
    const sources = await database().db.selectDistinct({ source: paymentEvents.source }).from(paymentEvents);
    expect(sources).toEqual([{ source: "collected" }]);
  });

  test("the newest minutes are left to their webhooks", async () => {
    await house().later(SOON_MS, () => collectEvents(door()));
    const who = await buyer();
    await paddle.buy(who, "pack:free:100");
    expect(await collectEvents(door())).toEqual({ missing: 0, read: 0 });
    await house().later(SOON_MS, () => collectEvents(door()));
    await applyEvent(door(), { eventId: "" });
    expect(await credits(who)).toEqual([5, 100]);
  });

  test("page by page from where the list was read to; a provider that fails in between costs nothing", async () => {
    const old = addMs(house().now(), -HOUR_MS);
    const all = Array.from({ length: 450 }, (_, n) =>
      eventAt(`${providerId("evt").slice(0, -4)}${String(n).padStart(4, "0")}`, old),
    );
    const asked: (string | null)[] = [];
    let isDown = false;
    const ctx = listing(async (after) => {
      asked.push(after);
      if (isDown) return { kind: "problem", problem: { kind: "unavailable", text: "away" } };
      const from = all.findIndex(({ eventId }) => eventId === after) + 1;
      isDown = asked.length === 2;
      return { kind: "ok", value: all.slice(from, from + 200) };
    });
    await expect(collectEvents(ctx)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(await bookmarks()).toEqual([all[399]?.eventId]);
    isDown = false;
    expect(await collectEvents(ctx)).toEqual({ missing: 0, read: 50 });
    expect(asked.slice(1)).toEqual([all[199]?.eventId, all[399]?.eventId, all[399]?.eventId]);
    await collectEvents(ctx);
    expect(asked.at(-1)).toBe(all[449]?.eventId);
  });

  test("an event that cannot be stored stops no other, and the bookmark stays before it", async () => {
    const old = addMs(house().now(), -HOUR_MS);
    const before = await bookmarks();
    const bad = { ...eventAt(providerId("evt"), old), eventType: "bad\u0000type" };
    const good = eventAt(providerId("evt"), old);
    expect(await collectEvents(listing(async () => ({ kind: "ok", value: [bad, good] })))).toMatchObject({ read: 2 });
    const { db } = database();
    expect(await db.select().from(paymentEvents).where(eq(paymentEvents.eventId, good.eventId))).toHaveLength(1);
    expect(await bookmarks()).toEqual(before);
    await expect(collectEvents(listing(async () => ({ kind: "ok", value: [bad] })))).rejects.toThrow();
  });

  test("where the provider keeps the event at the bookmark no longer, the list is read from its beginning", async () => {
    const asked: (string | null)[] = [];
    const known = eventAt(providerId("evt"), addMs(house().now(), -HOUR_MS));
    const ctx = listing(async (after) => {
      asked.push(after);
      if (after !== null) return { kind: "problem", problem: { kind: "refused", text: "no such event" } };
      return { kind: "ok", value: [known] };
    });
    expect(await collectEvents(ctx)).toEqual({ missing: 0, read: 1 });
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBeNull();
    const { db } = database();
    expect(await db.select().from(paymentEvents).where(eq(paymentEvents.eventId, known.eventId))).toHaveLength(1);
  });
});

describe("asking about what should have been heard of", () => {
  test("a payment that was left as paid is read back, and given", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:free:100");
    await paddle.strike({ scenario: "stays-paid" });
    await confirmPurchase(who.ctx, { transactionId: id });
    await paddle.clearFaults();
    expect(await credits(who)).toEqual([5, 0]);
    await reconcilePayments(door());
    expect(await credits(who)).toEqual([5, 0]);
    await house().later(HOUR_MS, () => reconcilePayments(door()));
    expect(await credits(who)).toEqual([5, 100]);
    expect(await house().later(HOUR_MS, () => reconcilePayments(door()))).toEqual({ asked: 0, answered: 0 });
  });

  test("R-SUB-06: a subscription that ended without a word is asked about, once its period is over", async () => {
    const who = await buyer();
    const { id, subscription_id } = await paddle.buy(who, "plan:basic");
    await confirmSubscription(who.ctx, { transactionId: id });
    expect(await plan(who)).toBe("basic");
    const subscriptionId =
      subscription_id ??
      (await database().db.select().from(payments).where(eq(payments.id, id)))[0]?.subscriptionId ??
      "";
    const laterMs = 40 * DAY_MS;
    await paddle.moveClock(laterMs);
    await house().later(laterMs, async () => {
      const before = await termRow(subscriptionId);
      expect((await reconcilePayments(door())).answered).toBeGreaterThan(0);
      const after = await termRow(subscriptionId);
      expect(after?.periodEndsAt?.getTime()).toBeGreaterThan(before?.periodEndsAt?.getTime() ?? 0);
      // Its payment comes with the list.
      await collectEvents(door());
      await applyEvent(door(), { eventId: "" });
      expect(await credits(who)).toEqual([400, 0]);
      expect(await plan(who)).toBe("basic");
    });
    await paddle.moveClock(0);
    expect(await eventsOpen()).toBe(0);
  });

  test("a provider that does not answer changes nothing and stops nothing", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:free:100");
    await paddle.strike({ scenario: "stays-paid" });
    await confirmPurchase(who.ctx, { transactionId: id });
    await paddle.clearFaults();
    await paddle.strike({ scenario: "unavailable" });
    const asked = await house().later(HOUR_MS, () => reconcilePayments(door()));
    expect(asked).toMatchObject({ answered: 0 });
    expect(asked.asked).toBeGreaterThan(0);
    expect(await credits(who)).toEqual([5, 0]);
  });
});
