import { asc, eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { paymentEvents } from "#db/schema/billing.ts";
import type { FullCtx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { receiveEvent, sweepEvents } from "#lib/features/billing/webhooks.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { createPayments } from "#lib/integrations/payments/client.ts";
import { providerId, saleOf, webhookOf } from "#tests/support/billing.ts";
import { PADDLE_TEST_SECRET } from "#tests/support/context.ts";
import { signed } from "#tests/support/payments.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, database, webhookCtx, buyer, credits, eventsOpen, paymentOf } = billingHarness();

const rowOf = async (eventId: string) =>
  (await database().db.select().from(paymentEvents).where(eq(paymentEvents.eventId, eventId)))[0];
const sentFor = (eventId: string) =>
  harness().sentEvents.filter((event) => event.name === "billing/event.received" && event.data.eventId === eventId);
const applyAll = () => applyEvent(webhookCtx(), { eventId: "" });

/** A pack for a new user, and a webhook about it with a known id. */
const packWebhook = async () => {
  const who = await buyer();
  const sale = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(harness().now(), -HOUR_MS) });
  const eventId = providerId("evt");
  return { who, sale, eventId, webhook: webhookOf(sale, { event_id: eventId }) };
};

describe("receiving", () => {
  test("sends one durable event under an id derived from the provider's; a repeat sends none", async () => {
    const { eventId, webhook } = await packWebhook();
    expect(await receiveEvent(webhookCtx(), webhook)).toEqual({ kind: "stored" });
    expect(await receiveEvent(webhookCtx(), webhook)).toEqual({ kind: "known" });
    expect(sentFor(eventId)).toEqual([
      { name: "billing/event.received", id: `payment-event:${eventId}:0`, data: { eventId } },
    ]);
  });

  test("accepts the old secret only while both are configured", async () => {
    const payments = (webhookSecrets: string[]) =>
      createPayments({ apiKey: "key", apiUrl: "http://127.0.0.1:9", webhookSecrets });
    const { webhook } = await packWebhook();
    const old = { ...webhook, signature: signed(webhook.body, "pdl_ntfset_old") };
    const rotating: FullCtx = { ...webhookCtx(), payments: payments(["pdl_ntfset_new", "pdl_ntfset_old"]) };
    expect(await receiveEvent(rotating, old)).toEqual({ kind: "stored" });
    const rotated: FullCtx = { ...webhookCtx(), payments: payments(["pdl_ntfset_new"]) };
    await expect(receiveEvent(rotated, old)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("does not store events that were signed too long ago or with another secret", async () => {
    const { eventId, webhook } = await packWebhook();
    const stale = signed(webhook.body, PADDLE_TEST_SECRET, addMs(harness().now(), -10 * MINUTE_MS));
    for (const signature of [null, stale, signed(webhook.body, "pdl_ntfset_other")]) {
      await expect(receiveEvent(webhookCtx(), { ...webhook, signature })).rejects.toMatchObject({
        code: "unauthenticated",
      });
    }
    expect(await rowOf(eventId)).toBeUndefined();
  });

  test("an engine that is down or never answers does not delay the response; the sweep sends the event", async () => {
    const [down, unanswered] = [await packWebhook(), await packWebhook()];
    harness().failNextSend();
    expect(await receiveEvent(webhookCtx(), down.webhook)).toEqual({ kind: "stored" });
    const never: FullCtx = { ...webhookCtx(), jobs: { send: () => new Promise(() => {}) } };
    expect(await receiveEvent(never, unanswered.webhook)).toEqual({ kind: "stored" });
    await harness().later(3 * MINUTE_MS, () => sweepEvents(webhookCtx()));
    for (const { eventId } of [down, unanswered]) {
      expect(sentFor(eventId).map(({ id }) => id)).toEqual([`payment-event:${eventId}:1`]);
    }
    await applyAll();
    expect(await credits(down.who)).toEqual([5, 100]);
    expect(await credits(unanswered.who)).toEqual([5, 100]);
  });

  test("the sweep sends an unapplied event again, with growing delays", async () => {
    const { eventId, webhook } = await packWebhook();
    await receiveEvent(webhookCtx(), webhook);
    const sentAt = async (ms: number) => {
      await harness().later(ms, () => sweepEvents(webhookCtx()));
      return sentFor(eventId).length;
    };
    expect(await sentAt(MINUTE_MS)).toBe(1);
    expect(await sentAt(3 * MINUTE_MS)).toBe(2);
    expect(await sentAt(5 * MINUTE_MS)).toBe(2);
    expect(await sentAt(8 * MINUTE_MS)).toBe(3);
    await applyAll();
    expect(await sentAt(DAY_MS)).toBe(3);
  });
});

describe("applying", () => {
  test("an event that fails keeps its problem, does not stop the others, and is applied once possible", async () => {
    const [bad, good] = [await packWebhook(), await packWebhook()];
    await receiveEvent(webhookCtx(), bad.webhook);
    await receiveEvent(webhookCtx(), good.webhook);
    const stored = await rowOf(bad.eventId);
    await database()
      .db.update(paymentEvents)
      .set({ fact: { kind: "transaction", transaction: { id: 7 } }, occurredAt: new Date(0) })
      .where(eq(paymentEvents.eventId, bad.eventId));
    expect(await applyEvent(webhookCtx(), { eventId: bad.eventId })).toMatchObject({ failed: 1, left: "none" });
    expect(await credits(good.who)).toEqual([5, 100]);
    expect(await rowOf(bad.eventId)).toMatchObject({ appliedAt: null, problem: expect.stringContaining("invalid") });
    // It is not retried immediately, but by the next sweep.
    expect(await applyAll()).toMatchObject({ applied: 0, failed: 0 });
    await database().db.update(paymentEvents).set({ fact: stored?.fact }).where(eq(paymentEvents.eventId, bad.eventId));
    expect(await applyEvent(webhookCtx(), { eventId: bad.eventId })).toMatchObject({ applied: 1, failed: 0 });
    expect(await credits(bad.who)).toEqual([5, 100]);
    expect((await rowOf(bad.eventId))?.problem).toBeNull();
  });

  test("applies events in the order in which they occurred", async () => {
    const who = await buyer();
    const ids: string[] = [];
    for (const n of [7, 3, 9, 1, 5, 8, 2, 6, 4, 0]) {
      const sale = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(harness().now(), (n - 100) * MINUTE_MS) });
      const eventId = providerId("evt");
      ids.push(eventId);
      await receiveEvent(webhookCtx(), webhookOf(sale, { event_id: eventId }));
    }
    await applyAll();
    const rows = await database()
      .db.select()
      .from(paymentEvents)
      .where(inArray(paymentEvents.eventId, ids))
      .orderBy(asc(paymentEvents.occurredAt));
    const times = rows.map(({ appliedAt }) => appliedAt?.getTime() ?? Number.NaN);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(await credits(who)).toEqual([5, 1_000]);
  });

  test("concurrent workers apply each event once", async () => {
    const packs = await Promise.all(Array.from({ length: 12 }, packWebhook));
    for (const { webhook } of packs) await receiveEvent(webhookCtx(), webhook);
    const turns = await Promise.all(Array.from({ length: 5 }, applyAll));
    expect(turns.reduce((sum, { applied }) => sum + applied, 0)).toBe(12);
    for (const { who } of packs) expect(await credits(who)).toEqual([5, 100]);
  });

  /** Kills the connection that waits for a lock, as a dying process would. */
  const killWaiting = async (): Promise<void> => {
    for (;;) {
      const killed = await database().db.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
      );
      if (killed.length > 0) return;
    }
  };

  test.each([
    [
      "between the fact and what follows from it",
      (userId: string) => `select 1 from users where id = '${userId}' for update`,
    ],
    [
      "between what follows and the mark",
      (_: string, id: string) => `select 1 from payment_events where event_id = '${id}' for update`,
    ],
  ])("killed %s: leaves nothing behind, and the next run applies it once", async (_when, lockOf) => {
    const { who, sale, eventId, webhook } = await packWebhook();
    await receiveEvent(webhookCtx(), webhook);
    await database().db.transaction(async (holding) => {
      await holding.execute(lockOf(who.userId, eventId));
      const dying = applyAll().then(
        () => "lived",
        () => "died",
      );
      await killWaiting();
      expect(await dying).toBe("died");
    });
    expect(await paymentOf(sale)).toBeUndefined();
    expect(await credits(who)).toEqual([5, 0]);
    expect(await applyAll()).toMatchObject({ applied: 1, failed: 0 });
    expect(await applyAll()).toMatchObject({ applied: 0, failed: 0 });
    expect(await credits(who)).toEqual([5, 100]);
    expect(await eventsOpen()).toBe(0);
  });
});

test("deletes applied events after their retention time and keeps open ones", async () => {
  const [done, open] = [await packWebhook(), await packWebhook()];
  await receiveEvent(webhookCtx(), done.webhook);
  await applyAll();
  await receiveEvent(webhookCtx(), open.webhook);
  await harness().later(RETENTION_MS.paymentEvent + DAY_MS, () => RETENTION_RULES["payment-events"](webhookCtx()));
  expect(await rowOf(done.eventId)).toBeUndefined();
  expect(await rowOf(open.eventId)).toBeDefined();
  expect(await paymentOf(done.sale)).toBeDefined();
  await applyAll();
});
