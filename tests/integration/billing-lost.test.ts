import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { paymentEvents } from "#db/schema/billing.ts";
import { letters } from "#db/schema/email.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { CONFIRM_TEXTS } from "#lib/features/billing/constants.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { reconcilePayments, rereadList } from "#lib/features/billing/reconciliation.ts";
import { collectEvents, storeEvent } from "#lib/features/billing/webhooks.ts";
import type { PaymentsPort } from "#lib/integrations/payments/port.ts";
import { type Buyer, type News, providerId, saleOf, termOf, webhookOf } from "#tests/support/billing.ts";
import { billingHouse } from "./billing-house.ts";

const { house, database, door, buyer, tell, credits, plan, paymentOf, reportsOf, month } = billingHouse();

const hoursAgo = (hours: number): Date => addMs(house().now(), -hours * HOUR_MS);
const raiseOf = (who: Buyer, { id, from, period }: ReturnType<typeof month>): News => {
  const at = addMs(from, DAY_MS);
  const more = { origin: "subscription_update", subscriptionId: id, period: { from: at, to: period.to } };
  return saleOf(who, { items: [["plan:growth", 1]], at, totalMinor: 1800, ...more });
};
/** The door with a provider that does some calls in a way of our own. */
const withPayments = (own: Partial<PaymentsPort>): FullCtx => ({ ...door(), payments: { ...door().payments, ...own } });
const mailsAbout = async (subject: string): Promise<number> =>
  (await database().db.select().from(letters)).filter(({ content }) => Object(content).subject === subject).length;

describe("money that nothing follows from is told to support, once (R-PAY-03)", () => {
  test("a plan's payment of a kind that begins no month and raises none", async () => {
    const who = await buyer();
    const { id, period } = month(who, "plan:basic");
    const odd = { items: [["plan:pro", 1]] as [string, number][], at: hoursAgo(0.1), subscriptionId: id, period };
    const sale = saleOf(who, { ...odd, origin: "subscription_charge" });
    await tell(sale, sale);
    expect(await paymentOf(sale)).toMatchObject({ heldReason: "unplaced", grantedAt: null });
    expect(await reportsOf(sale)).toBe(1);
    expect(await plan(who)).toBe("free");
  });

  test("a raise whose month never shows, after an hour; it is given when the month does", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic");
    const raise = raiseOf(who, first);
    await tell(raise);
    expect(await reportsOf(raise)).toBe(0);
    await reconcilePayments(door());
    await reconcilePayments(door());
    expect(await paymentOf(raise)).toMatchObject({ heldReason: "unplaced", grantedAt: null });
    expect(await reportsOf(raise)).toBe(1);
    await tell(first.paid, first.term);
    expect([await plan(who), await credits(who)]).toEqual(["growth", [1000, 0]]);
    expect((await paymentOf(raise))?.heldReason).toBeNull();
  });

  test("one that is on its way is given its hour", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 1);
    const at = addMs(house().now(), -MINUTE_MS);
    const period = { from: at, to: first.period.to };
    const more = { origin: "subscription_update", subscriptionId: first.id, period };
    const raise = saleOf(who, { items: [["plan:growth", 1]], at, ...more });
    await tell(raise);
    await reconcilePayments(door());
    expect(await reportsOf(raise)).toBe(0);
    await house().later(2 * HOUR_MS, () => reconcilePayments(door()));
    expect(await reportsOf(raise)).toBe(1);
  });

  test("a payment that is nobody's, after an hour; it is given when it becomes somebody's", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: hoursAgo(2), hints: null });
    const foreign = saleOf(await buyer(), { items: [["another product", 1]], at: hoursAgo(2), hints: null });
    await tell(sale, foreign);
    await reconcilePayments(door());
    await reconcilePayments(door());
    expect(await paymentOf(sale)).toMatchObject({ userId: null, heldReason: "nobody" });
    expect([await reportsOf(sale), await reportsOf(foreign)]).toEqual([1, 0]);
    await tell(saleOf(who, { items: [["pack:free:100", 1]], at: hoursAgo(1) }));
    expect(await credits(who)).toEqual([5, 400]);
    expect(await paymentOf(sale)).toMatchObject({ userId: who.userId, heldReason: null });
  });

  test("an event that could not be read; once it can be, the list is read again from there on", async () => {
    const who = await buyer();
    const at = hoursAgo(1);
    const earlier = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(at, -SECOND_MS) });
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at });
    const [before, event] = [earlier, sale].map((news) => door().payments.readEvent(webhookOf(news).body));
    if (!before || !event) throw new Error("The events are ours.");
    const unread = { ...event, fact: null, unreadable: "an amount of a new form" };
    const list = (last: typeof event): FullCtx =>
      withPayments({
        listEvents: async (after) => {
          const all = [before, last];
          return { kind: "ok", value: all.slice(all.findIndex(({ eventId }) => eventId === after) + 1) };
        },
      });
    await collectEvents(list(unread));
    await reconcilePayments(door());
    await reconcilePayments(door());
    expect(await mailsAbout(event.eventId)).toBe(1);
    // Learned to read it, the bookmark is beyond it.
    expect(await collectEvents(list(event))).toEqual({ missing: 0, read: 0 });
    expect(await rereadList(door())).toEqual({ unread: 1 });
    expect((await collectEvents(list(event))).missing).toBe(1);
    await applyEvent(door(), { eventId: "" });
    expect(await credits(who)).toEqual([5, 400]);
    expect(await rereadList(door())).toEqual({ unread: 0 });
    const rows = await database().db.select().from(paymentEvents).where(eq(paymentEvents.eventId, event.eventId));
    expect(rows).toMatchObject([{ problem: null }]);
  });

  test("without anything before it the list is read from its beginning", async () => {
    const news = saleOf(await buyer(), { items: [["pack:free:100", 1]], at: new Date("2020-01-01T00:00:00Z") });
    const event = door().payments.readEvent(webhookOf(news).body);
    if (!event) throw new Error("The event is ours.");
    await storeEvent(door(), { event: { ...event, fact: null, unreadable: "unclear" }, source: "webhook" });
    await rereadList(door());
    let asked: string | null = "nothing";
    await collectEvents(
      withPayments({
        listEvents: async (after) => {
          asked = after;
          return { kind: "ok", value: [event] };
        },
      }),
    );
    expect(asked).toBeNull();
    expect(await rereadList(door())).toEqual({ unread: 0 });
  });
});

test("a provider that hangs or asks for fewer calls is not asked on in that round", async () => {
  for (const _ of [1, 2, 3]) {
    const who = await buyer();
    await tell(saleOf(who, { items: [["pack:free:100", 1]], at: hoursAgo(1), status: "paid" }));
  }
  for (const kind of ["unavailable", "rate_limited"] as const) {
    let calls = 0;
    const getTransaction = async () => {
      calls += 1;
      return { kind: "problem" as const, problem: { kind, text: "later" } };
    };
    expect((await reconcilePayments(withPayments({ getTransaction }))).asked).toBeGreaterThan(2);
    expect(calls).toBe(1);
  }
});

describe("a second checkout for a plan (A-96)", () => {
  const refusalOf = (who: Buyer) =>
    startCheckout(who.ctx, { kind: "plan", plan: "basic" }).then(
      () => null,
      (error: unknown) => Object(error).message,
    );

  test("is refused while the first one's payment is under way, and not for ever", async () => {
    const who = await buyer();
    const { id, period } = month(who, "plan:basic");
    const sale = { id: providerId("txn"), items: [["plan:basic", 1]] as [string, number][], subscriptionId: null };
    expect(await refusalOf(who)).toBeNull();
    await tell(saleOf(who, { ...sale, at: hoursAgo(0.2), status: "ready" }));
    expect(await refusalOf(who)).toBeNull();
    await tell(saleOf(who, { ...sale, at: hoursAgo(0.1), status: "paid" }));
    expect(await refusalOf(who)).toBe(CONFIRM_TEXTS.pending);
    // Complete, and for which month is not told yet.
    await tell(saleOf(who, { ...sale, at: hoursAgo(0.05) }));
    expect(await refusalOf(who)).toBe(CONFIRM_TEXTS.pending);
    expect(await startCheckout(who.ctx, { kind: "pack", credits: 100 })).toMatchObject({ userId: who.userId });
    expect(await house().later(DAY_MS, () => refusalOf(who))).toBeNull();
    // Given and ended: another one may be bought.
    await tell(saleOf(who, { ...sale, at: hoursAgo(0.04), subscriptionId: id, period }));
    await tell(termOf(who, { id, key: "plan:basic", at: hoursAgo(0.02), ...period, status: "canceled" }));
    expect(await refusalOf(who)).toBeNull();
  });
});
