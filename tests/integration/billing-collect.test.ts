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
import { billingHarness } from "./billing-harness.ts";

let paddle: TestPaddle;
beforeAll(async () => {
  paddle = await startTestPaddle();
});
afterAll(() => paddle.close());
beforeEach(() => paddle.clearFaults());

const { harness, database, webhookCtx, buyer, credits, plan, eventsOpen, termRow } = billingHarness({
  paddleUrl: () => paddle.url,
});

/** Later than the delay that webhooks get to arrive first. */
const SOON_MS = 5 * MINUTE_MS;
const bookmarks = async () =>
  (await database().db.select().from(paymentEvents).where(isNotNull(paymentEvents.listedAt))).map(
    ({ eventId }) => eventId,
  );

/** A context whose provider returns our own event list. */
const listing = (listEvents: PaymentsPort["listEvents"]): FullCtx => {
  const { payments: real } = webhookCtx();
  return { ...webhookCtx(), payments: { ...real, listEvents } };
};
const eventAt = (eventId: string, occurredAt: Date): PaymentEvent => ({
  eventId,
  eventType: "customer.updated",
  occurredAt,
  fact: null,
  unreadable: null,
});

describe("collecting events that no webhook delivered", () => {
  test("grants a payment whose webhooks were all lost, once, and ignores known events", async () => {
    const who = await buyer();
    await paddle.buy(who, "pack:free:100");
    await harness().later(SOON_MS, async () => {
      expect((await collectEvents(webhookCtx())).missing).toBeGreaterThan(0);
      expect(await applyEvent(webhookCtx(), { eventId: "" })).toMatchObject({ failed: 0, left: "none" });
      expect(await credits(who)).toEqual([5, 100]);
      expect(await collectEvents(webhookCtx())).toEqual({ missing: 0, read: 0 });
    });
    await paddle.buy(who, "pack:free:300");
    await harness().later(2 * SOON_MS, async () => {
      const collected = await collectEvents(webhookCtx());
      expect(collected.missing).toBe(collected.read);
      await applyEvent(webhookCtx(), { eventId: "" });
    });
    expect(await credits(who)).toEqual([5, 400]);
    const sources = await database().db.selectDistinct({ source: paymentEvents.source }).from(paymentEvents);
    expect(sources).toEqual([{ source: "collected" }]);
  });

  test("leaves the newest minutes to their webhooks", async () => {
    await harness().later(SOON_MS, () => collectEvents(webhookCtx()));
    const who = await buyer();
    await paddle.buy(who, "pack:free:100");
    expect(await collectEvents(webhookCtx())).toEqual({ missing: 0, read: 0 });
    await harness().later(SOON_MS, () => collectEvents(webhookCtx()));
    await applyEvent(webhookCtx(), { eventId: "" });
    expect(await credits(who)).toEqual([5, 100]);
  });

  test("continues page by page from the last position, even after a provider failure", async () => {
    const old = addMs(harness().now(), -HOUR_MS);
    const all = Array.from({ length: 450 }, (_, n) =>
      eventAt(`${providerId("evt").slice(0, -4)}${String(n).padStart(4, "0")}`, old),
    );
    const planned: (string | null)[] = [];
    let isDown = false;
    const ctx = listing(async (after) => {
      planned.push(after);
      if (isDown) return { kind: "problem", problem: { kind: "unavailable", text: "away" } };
      const from = all.findIndex(({ eventId }) => eventId === after) + 1;
      isDown = planned.length === 2;
      return { kind: "ok", value: all.slice(from, from + 200) };
    });
    await expect(collectEvents(ctx)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(await bookmarks()).toEqual([all[399]?.eventId]);
    isDown = false;
    expect(await collectEvents(ctx)).toEqual({ missing: 0, read: 50 });
    expect(planned.slice(1)).toEqual([all[199]?.eventId, all[399]?.eventId, all[399]?.eventId]);
    await collectEvents(ctx);
    expect(planned.at(-1)).toBe(all[449]?.eventId);
  });

  test("an event that cannot be stored does not stop the others, and the cursor stays before it", async () => {
    const old = addMs(harness().now(), -HOUR_MS);
    const before = await bookmarks();
    const bad = { ...eventAt(providerId("evt"), old), eventType: "bad\u0000type" };
    const good = eventAt(providerId("evt"), old);
    expect(await collectEvents(listing(async () => ({ kind: "ok", value: [bad, good] })))).toMatchObject({ read: 2 });
    const { db } = database();
    expect(await db.select().from(paymentEvents).where(eq(paymentEvents.eventId, good.eventId))).toHaveLength(1);
    expect(await bookmarks()).toEqual(before);
    await expect(collectEvents(listing(async () => ({ kind: "ok", value: [bad] })))).rejects.toThrow();
  });

  test("reads the list from the start when the provider no longer has the cursor's event", async () => {
    const planned: (string | null)[] = [];
    const known = eventAt(providerId("evt"), addMs(harness().now(), -HOUR_MS));
    const ctx = listing(async (after) => {
      planned.push(after);
      if (after !== null) return { kind: "problem", problem: { kind: "refused", text: "no such event" } };
      return { kind: "ok", value: [known] };
    });
    expect(await collectEvents(ctx)).toEqual({ missing: 0, read: 1 });
    expect(planned).toHaveLength(2);
    expect(planned[1]).toBeNull();
    const { db } = database();
    expect(await db.select().from(paymentEvents).where(eq(paymentEvents.eventId, known.eventId))).toHaveLength(1);
  });
});

describe("reading back what was not reported", () => {
  test("reads back and grants a payment that stayed in paid", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:free:100");
    await paddle.addFault({ scenario: "stays-paid" });
    await confirmPurchase(who.ctx, { transactionId: id });
    await paddle.clearFaults();
    expect(await credits(who)).toEqual([5, 0]);
    await reconcilePayments(webhookCtx());
    expect(await credits(who)).toEqual([5, 0]);
    await harness().later(HOUR_MS, () => reconcilePayments(webhookCtx()));
    expect(await credits(who)).toEqual([5, 100]);
    expect(await harness().later(HOUR_MS, () => reconcilePayments(webhookCtx()))).toEqual({ planned: 0, answered: 0 });
  });

  test("R-SUB-06: reads back a subscription that ended without an event, once its period is over", async () => {
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
    await harness().later(laterMs, async () => {
      const before = await termRow(subscriptionId);
      expect((await reconcilePayments(webhookCtx())).answered).toBeGreaterThan(0);
      const after = await termRow(subscriptionId);
      expect(after?.periodEndsAt?.getTime()).toBeGreaterThan(before?.periodEndsAt?.getTime() ?? 0);
      // The event list contains its payment.
      await collectEvents(webhookCtx());
      await applyEvent(webhookCtx(), { eventId: "" });
      expect(await credits(who)).toEqual([400, 0]);
      expect(await plan(who)).toBe("basic");
    });
    await paddle.moveClock(0);
    expect(await eventsOpen()).toBe(0);
  });

  test("a provider that does not answer changes nothing and stops nothing", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:free:100");
    await paddle.addFault({ scenario: "stays-paid" });
    await confirmPurchase(who.ctx, { transactionId: id });
    await paddle.clearFaults();
    await paddle.addFault({ scenario: "unavailable" });
    const planned = await harness().later(HOUR_MS, () => reconcilePayments(webhookCtx()));
    expect(planned).toMatchObject({ answered: 0 });
    expect(planned.planned).toBeGreaterThan(0);
    expect(await credits(who)).toEqual([5, 0]);
  });
});
