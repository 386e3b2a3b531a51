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
import { billingHouse } from "./billing-house.ts";

const { house, database, door, buyer, credits, eventsOpen, paymentOf } = billingHouse();

const rowOf = async (eventId: string) =>
  (await database().db.select().from(paymentEvents).where(eq(paymentEvents.eventId, eventId)))[0];
const sentFor = (eventId: string) =>
  house().sentEvents.filter((event) => event.name === "billing/event.received" && event.data.eventId === eventId);
const applyAll = () => applyEvent(door(), { eventId: "" });

/** A pack of a new user, and a webhook about it with an id that is known. */
const packWebhook = async () => {
  const who = await buyer();
  const sale = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(house().now(), -HOUR_MS) });
  const eventId = providerId("evt");
  return { who, sale, eventId, webhook: webhookOf(sale, { event_id: eventId }) };
};

describe("taking in", () => {
  test("the durable engine gets one event under an id that follows from the provider's; a repetition sends none", async () => {
    const { eventId, webhook } = await packWebhook();
    expect(await receiveEvent(door(), webhook)).toEqual({ kind: "stored" });
    expect(await receiveEvent(door(), webhook)).toEqual({ kind: "known" });
    expect(sentFor(eventId)).toEqual([
      { name: "billing/event.received", id: `payment-event:${eventId}:0`, data: { eventId } },
    ]);
  });

  test("BRIEF §5: while the secret is replaced, what the old one signed is taken; afterwards it is not", async () => {
    const payments = (webhookSecrets: string[]) =>
      createPayments({ apiKey: "key", apiUrl: "http://127.0.0.1:9", webhookSecrets });
    const { webhook } = await packWebhook();
    const old = { ...webhook, signature: signed(webhook.body, "pdl_ntfset_old") };
    const rotating: FullCtx = { ...door(), payments: payments(["pdl_ntfset_new", "pdl_ntfset_old"]) };
    expect(await receiveEvent(rotating, old)).toEqual({ kind: "stored" });
    const rotated: FullCtx = { ...door(), payments: payments(["pdl_ntfset_new"]) };
    await expect(receiveEvent(rotated, old)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("what was signed too long ago, or is not signed by our secret, is not stored", async () => {
    const { eventId, webhook } = await packWebhook();
    const stale = signed(webhook.body, PADDLE_TEST_SECRET, addMs(house().now(), -10 * MINUTE_MS));
    for (const signature of [null, stale, signed(webhook.body, "pdl_ntfset_other")]) {
      await expect(receiveEvent(door(), { ...webhook, signature })).rejects.toMatchObject({ code: "unauthenticated" });
    }
    expect(await rowOf(eventId)).toBeUndefined();
  });

  test("an engine that is down, or never answers, does not hold the answer up; the sweep sends the event", async () => {
    const [down, stuck] = [await packWebhook(), await packWebhook()];
    house().failNextSend();
    expect(await receiveEvent(door(), down.webhook)).toEqual({ kind: "stored" });
    const never: FullCtx = { ...door(), jobs: { send: () => new Promise(() => {}) } };
    expect(await receiveEvent(never, stuck.webhook)).toEqual({ kind: "stored" });
    await house().later(3 * MINUTE_MS, () => sweepEvents(door()));
    for (const { eventId } of [down, stuck]) {
      expect(sentFor(eventId).map(({ id }) => id)).toEqual([`payment-event:${eventId}:1`]);
    }
    await applyAll();
    expect(await credits(down.who)).toEqual([5, 100]);
    expect(await credits(stuck.who)).toEqual([5, 100]);
  });

  test("nobody applied it: the sweep comes again, each time later", async () => {
    const { eventId, webhook } = await packWebhook();
    await receiveEvent(door(), webhook);
    const sentAt = async (ms: number) => {
      await house().later(ms, () => sweepEvents(door()));
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
  test("what cannot be applied keeps its problem, stops no other, and is applied once it can be", async () => {
    const [bad, good] = [await packWebhook(), await packWebhook()];
    await receiveEvent(door(), bad.webhook);
    await receiveEvent(door(), good.webhook);
    const stored = await rowOf(bad.eventId);
    await database()
      .db.update(paymentEvents)
      .set({ fact: { kind: "transaction", transaction: { id: 7 } }, occurredAt: new Date(0) })
      .where(eq(paymentEvents.eventId, bad.eventId));
    expect(await applyEvent(door(), { eventId: bad.eventId })).toMatchObject({ failed: 1, left: "none" });
    expect(await credits(good.who)).toEqual([5, 100]);
    expect(await rowOf(bad.eventId)).toMatchObject({ appliedAt: null, problem: expect.stringContaining("invalid") });
    // Not again at once: it waits for the sweep.
    expect(await applyAll()).toMatchObject({ applied: 0, failed: 0 });
    await database().db.update(paymentEvents).set({ fact: stored?.fact }).where(eq(paymentEvents.eventId, bad.eventId));
    expect(await applyEvent(door(), { eventId: bad.eventId })).toMatchObject({ applied: 1, failed: 0 });
    expect(await credits(bad.who)).toEqual([5, 100]);
    expect((await rowOf(bad.eventId))?.problem).toBeNull();
  });

  test("in the order in which they occurred", async () => {
    const who = await buyer();
    const ids: string[] = [];
    for (const n of [7, 3, 9, 1, 5, 8, 2, 6, 4, 0]) {
      const sale = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(house().now(), (n - 100) * MINUTE_MS) });
      const eventId = providerId("evt");
      ids.push(eventId);
      await receiveEvent(door(), webhookOf(sale, { event_id: eventId }));
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

  test("several who apply at once apply each event once", async () => {
    const packs = await Promise.all(Array.from({ length: 12 }, packWebhook));
    for (const { webhook } of packs) await receiveEvent(door(), webhook);
    const turns = await Promise.all(Array.from({ length: 5 }, applyAll));
    expect(turns.reduce((sum, { applied }) => sum + applied, 0)).toBe(12);
    for (const { who } of packs) expect(await credits(who)).toEqual([5, 100]);
  });

  /** Kills the connection that waits for a lock, as the death of its process would. */
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
  ])("killed %s: nothing of it stays, and the next run gives it once", async (_when, lockOf) => {
    const { who, sale, eventId, webhook } = await packWebhook();
    await receiveEvent(door(), webhook);
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

test("DESIGN §5.6: applied events go after their time; what they told of stays, and open ones stay too", async () => {
  const [done, open] = [await packWebhook(), await packWebhook()];
  await receiveEvent(door(), done.webhook);
  await applyAll();
  await receiveEvent(door(), open.webhook);
  await house().later(RETENTION_MS.paymentEvent + DAY_MS, () => RETENTION_RULES["payment-events"](door()));
  expect(await rowOf(done.eventId)).toBeUndefined();
  expect(await rowOf(open.eventId)).toBeDefined();
  expect(await paymentOf(done.sale)).toBeDefined();
  await applyAll();
});
