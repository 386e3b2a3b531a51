import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { paymentEvents } from "#db/schema/billing.ts";
import { emailOutbox } from "#db/schema/email.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { CONFIRM_TEXTS } from "#lib/features/billing/constants.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { reconcilePayments, rewindEventList } from "#lib/features/billing/reconciliation.ts";
import { collectEvents, storeEvent } from "#lib/features/billing/webhooks.ts";
import type { PaymentsPort } from "#lib/integrations/payments/port.ts";
import {
  type Buyer,
  type ProviderEvent,
  providerId,
  saleOf,
  termOf,
  upgradeShare,
  webhookOf,
} from "#tests/support/billing.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, database, webhookCtx, buyer, deliver, credits, plan, paymentOf, reportsOf, month } = billingHarness();

const hoursAgo = (hours: number): Date => addMs(harness().now(), -hours * HOUR_MS);
const raiseOf = (who: Buyer, { id, from, period }: ReturnType<typeof month>): ProviderEvent => {
  const at = addMs(from, DAY_MS);
  const more = { origin: "subscription_update", subscriptionId: id, period: { from: at, to: period.to } };
  return saleOf(who, { items: [["plan:growth", 1]], at, totalMinor: 1800, ...more });
};
/** A context in which some provider calls behave as given. */
const withPayments = (own: Partial<PaymentsPort>): FullCtx => ({
  ...webhookCtx(),
  payments: { ...webhookCtx().payments, ...own },
});
const emailsAbout = async (subject: string): Promise<number> =>
  (await database().db.select().from(emailOutbox)).filter(({ content }) => Object(content).subject === subject).length;

describe("reports payments without effect to support, once (R-PAY-03)", () => {
  test("a plan payment that neither starts nor upgrades a period", async () => {
    const who = await buyer();
    const { id, period } = month(who, "plan:basic");
    const odd = { items: [["plan:pro", 1]] as [string, number][], at: hoursAgo(0.1), subscriptionId: id, period };
    const sale = saleOf(who, { ...odd, origin: "subscription_charge" });
    await deliver(sale, sale);
    expect(await paymentOf(sale)).toMatchObject({ heldReason: "unplaced", grantedAt: null });
    expect(await reportsOf(sale)).toBe(1);
    expect(await plan(who)).toBe("free");
  });

  test("an upgrade whose period is still unknown after an hour; granted when the period arrives", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic");
    const raise = raiseOf(who, first);
    await deliver(raise);
    expect(await reportsOf(raise)).toBe(0);
    await reconcilePayments(webhookCtx());
    await reconcilePayments(webhookCtx());
    expect(await paymentOf(raise)).toMatchObject({ heldReason: "unplaced", grantedAt: null });
    expect(await reportsOf(raise)).toBe(1);
    await deliver(first.paid, first.term);
    expect([await plan(who), await credits(who)]).toEqual(["growth", [400 + upgradeShare(first, raise.at, 600), 0]]);
    expect((await paymentOf(raise))?.heldReason).toBeNull();
  });

  test("waits an hour before reporting", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 1);
    const at = addMs(harness().now(), -MINUTE_MS);
    const period = { from: at, to: first.period.to };
    const more = { origin: "subscription_update", subscriptionId: first.id, period };
    const raise = saleOf(who, { items: [["plan:growth", 1]], at, ...more });
    await deliver(raise);
    await reconcilePayments(webhookCtx());
    expect(await reportsOf(raise)).toBe(0);
    await harness().later(2 * HOUR_MS, () => reconcilePayments(webhookCtx()));
    expect(await reportsOf(raise)).toBe(1);
  });

  test("a payment without an owner after an hour; granted when the owner is known", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: hoursAgo(2), hints: null });
    const foreign = saleOf(await buyer(), { items: [["another product", 1]], at: hoursAgo(2), hints: null });
    await deliver(sale, foreign);
    await reconcilePayments(webhookCtx());
    await reconcilePayments(webhookCtx());
    expect(await paymentOf(sale)).toMatchObject({ userId: null, heldReason: "nobody" });
    expect([await reportsOf(sale), await reportsOf(foreign)]).toEqual([1, 0]);
    await deliver(saleOf(who, { items: [["pack:free:100", 1]], at: hoursAgo(1) }));
    expect(await credits(who)).toEqual([5, 400]);
    expect(await paymentOf(sale)).toMatchObject({ userId: who.userId, heldReason: null });
  });

  test("an unreadable event; once it is readable, the list is read again from there", async () => {
    const who = await buyer();
    const at = hoursAgo(1);
    const earlier = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(at, -SECOND_MS) });
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at });
    const [before, event] = [earlier, sale].map((providerEvent) =>
      webhookCtx().payments.readEvent(webhookOf(providerEvent).body),
    );
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
    await reconcilePayments(webhookCtx());
    await reconcilePayments(webhookCtx());
    expect(await emailsAbout(event.eventId)).toBe(1);
    // Readable now, but the list cursor is already beyond it.
    expect(await collectEvents(list(event))).toEqual({ missing: 0, read: 0 });
    expect(await rewindEventList(webhookCtx())).toEqual({ unread: 1 });
    expect((await collectEvents(list(event))).missing).toBe(1);
    await applyEvent(webhookCtx(), { eventId: "" });
    expect(await credits(who)).toEqual([5, 400]);
    expect(await rewindEventList(webhookCtx())).toEqual({ unread: 0 });
    const rows = await database().db.select().from(paymentEvents).where(eq(paymentEvents.eventId, event.eventId));
    expect(rows).toMatchObject([{ problem: null }]);
  });

  test("reads the list from the start when there is no earlier event", async () => {
    const providerEvent = saleOf(await buyer(), {
      items: [["pack:free:100", 1]],
      at: new Date("2020-01-01T00:00:00Z"),
    });
    const event = webhookCtx().payments.readEvent(webhookOf(providerEvent).body);
    if (!event) throw new Error("The event is ours.");
    await storeEvent(webhookCtx(), { event: { ...event, fact: null, unreadable: "unclear" }, source: "webhook" });
    await rewindEventList(webhookCtx());
    let planned: string | null = "nothing";
    await collectEvents(
      withPayments({
        listEvents: async (after) => {
          planned = after;
          return { kind: "ok", value: [event] };
        },
      }),
    );
    expect(planned).toBeNull();
    expect(await rewindEventList(webhookCtx())).toEqual({ unread: 0 });
  });
});

test("stops the run when the provider hangs or limits the rate", async () => {
  for (const _ of [1, 2, 3]) {
    const who = await buyer();
    await deliver(saleOf(who, { items: [["pack:free:100", 1]], at: hoursAgo(1), status: "paid" }));
  }
  for (const kind of ["unavailable", "rate_limited"] as const) {
    let calls = 0;
    const getTransaction = async () => {
      calls += 1;
      return { kind: "problem" as const, problem: { kind, text: "later" } };
    };
    expect((await reconcilePayments(withPayments({ getTransaction }))).planned).toBeGreaterThan(2);
    expect(calls).toBe(1);
  }
});

describe("a second checkout for a plan (A-96)", () => {
  const refusalOf = (who: Buyer) =>
    startCheckout(who.ctx, { kind: "plan", plan: "basic" }).then(
      () => null,
      (error: unknown) => Object(error).message,
    );

  test("is refused while the first payment is pending, but not forever", async () => {
    const who = await buyer();
    const { id, period } = month(who, "plan:basic");
    const sale = { id: providerId("txn"), items: [["plan:basic", 1]] as [string, number][], subscriptionId: null };
    expect(await refusalOf(who)).toBeNull();
    await deliver(saleOf(who, { ...sale, at: hoursAgo(0.2), status: "ready" }));
    expect(await refusalOf(who)).toBeNull();
    await deliver(saleOf(who, { ...sale, at: hoursAgo(0.1), status: "paid" }));
    expect(await refusalOf(who)).toBe(CONFIRM_TEXTS.pending);
    // Completed, but its billing period is not known yet.
    await deliver(saleOf(who, { ...sale, at: hoursAgo(0.05) }));
    expect(await refusalOf(who)).toBe(CONFIRM_TEXTS.pending);
    expect(await startCheckout(who.ctx, { kind: "pack", credits: 100 })).toMatchObject({ userId: who.userId });
    expect(await harness().later(DAY_MS, () => refusalOf(who))).toBeNull();
    // Granted and ended, so another plan may be bought.
    await deliver(saleOf(who, { ...sale, at: hoursAgo(0.04), subscriptionId: id, period }));
    await deliver(termOf(who, { id, key: "plan:basic", at: hoursAgo(0.02), ...period, status: "canceled" }));
    expect(await refusalOf(who)).toBeNull();
  });
});
