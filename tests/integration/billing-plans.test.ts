import { describe, expect, test } from "vitest";
import { addMs, DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { findSubscriptionView } from "#lib/features/billing/queries.ts";
import { toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { monthFrom, providerId, saleOf, termOf, upgradeShare } from "#tests/support/billing.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, buyer, deliver, credits, plan, paymentOf, termRow, reportsOf, month } = billingHarness();

describe("plans (R-SUB, A-25, A-96)", () => {
  test("R-PRICE-05: a completed payment grants the plan and its allowance; a subscription event alone grants nothing", async () => {
    const who = await buyer();
    const { paid, term } = month(who, "plan:basic");
    await deliver(term);
    expect(await plan(who)).toBe("free");
    await deliver(paid);
    expect(await plan(who)).toBe("basic");
    expect(await credits(who)).toEqual([400, 0]);
    const wire = toSubscriptionWire(await findSubscriptionView(who.ctx, who.userId));
    expect(wire).toMatchObject({
      status: "active",
      auto_renew: true,
      plan: { slug: "basic", price: 29 },
      next_plan: null,
    });
  });

  test("R-PRICE-08: a renewal grants the next allowance and expires the rest of the old one", async () => {
    const who = await buyer();
    const { id, paid, term, period } = month(who, "plan:basic", 33);
    const next = monthFrom(period.to);
    const renewed = saleOf(who, {
      items: [["plan:basic", 1]],
      at: addMs(next.from, SECOND_MS),
      origin: "subscription_recurring",
      subscriptionId: id,
      period: next,
    });
    const ongoing = termOf(who, {
      id,
      key: "plan:basic",
      at: addMs(next.from, 2 * SECOND_MS),
      ...next,
      startedAt: period.from,
    });
    // The renewal arrives first: the older payment then counts as granted and grants nothing.
    await deliver(renewed, ongoing);
    expect(await credits(who)).toEqual([400, 0]);
    await deliver(paid, term);
    expect(await credits(who)).toEqual([400, 0]);
    expect((await paymentOf(paid))?.grantedAt).not.toBeNull();
    expect((await termRow(id))?.periodEndsAt).toEqual(next.to);
  });

  test("A-96: an upgrade within the period adds the difference; if it arrives before its base payment, it waits", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:basic");
    const at = addMs(from, 2 * DAY_MS);
    const raise = saleOf(who, {
      items: [["plan:growth", 1]],
      at,
      origin: "subscription_update",
      subscriptionId: id,
      period: { from: at, to: period.to },
      totalMinor: 1800,
    });
    const changed = termOf(who, { id, key: "plan:growth", at: addMs(at, SECOND_MS), ...period });
    await deliver(raise, changed);
    expect(await plan(who)).toBe("free");
    await deliver(paid, term);
    expect(await plan(who)).toBe("growth");
    // The difference for the rest of the period, as its price.
    expect(await credits(who)).toEqual([400 + upgradeShare({ period }, at, 600), 0]);
  });

  test("A-96: a downgrade at the next renewal is shown and changes nothing before", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:pro");
    await deliver(term, paid, termOf(who, { id, key: "plan:basic", at: addMs(from, HOUR_MS), ...period }));
    expect(await credits(who)).toEqual([2500, 0]);
    const wire = toSubscriptionWire(await findSubscriptionView(who.ctx, who.userId));
    expect(wire).toMatchObject({ plan: { slug: "pro" }, next_plan: "basic", auto_renew: true });
  });

  test("R-SUB-02, R-SUB-06, A-95: a scheduled end takes effect on its date without another event", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:basic");
    const scheduled = { action: "cancel" as const, at: period.to };
    await deliver(term, paid, termOf(who, { id, key: "plan:basic", at: addMs(from, HOUR_MS), ...period, scheduled }));
    expect(await plan(who)).toBe("basic");
    const view = () => findSubscriptionView(who.ctx, who.userId);
    expect(toSubscriptionWire(await view())).toMatchObject({ status: "active (canceling)", auto_renew: false });
    await harness().later(26 * DAY_MS, async () => {
      expect(toSubscriptionWire(await view())).toMatchObject({
        status: "canceled",
        plan: { slug: "free" },
      });
      expect(await credits(who)).toEqual([5, 0]);
    });
  });

  test("R-SUB-02: removing a scheduled end lets the plan renew again", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:basic");
    const scheduled = { action: "cancel" as const, at: period.to };
    const kept = termOf(who, { id, key: "plan:basic", at: addMs(from, 2 * HOUR_MS), ...period });
    // The older description arrives last and changes nothing.
    await deliver(
      term,
      paid,
      kept,
      termOf(who, { id, key: "plan:basic", at: addMs(from, HOUR_MS), ...period, scheduled }),
    );
    const wire = toSubscriptionWire(await findSubscriptionView(who.ctx, who.userId));
    expect(wire).toMatchObject({ status: "active", auto_renew: true });
  });

  test("A-99: past due keeps the plan; paused and canceled mean the free plan", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:basic");
    const event = (status: string, hours: number) =>
      termOf(who, { id, key: "plan:basic", at: addMs(from, hours * HOUR_MS), ...period, status });
    const wire = async () => toSubscriptionWire(await findSubscriptionView(who.ctx, who.userId));
    await deliver(term, paid, event("past_due", 1));
    expect(await wire()).toMatchObject({ status: "active", payment_problem: "past_due", plan: { slug: "basic" } });
    await deliver(event("paused", 2));
    expect(await wire()).toMatchObject({ status: "canceled", payment_problem: "paused", plan: { slug: "free" } });
    await deliver(event("active", 3));
    expect(await wire()).toMatchObject({ status: "active", payment_problem: null, plan: { slug: "basic" } });
    await deliver(event("canceled", 4));
    expect(await wire()).toMatchObject({ status: "canceled", payment_problem: null, plan: { slug: "free" } });
    expect((await credits(who))[1]).toBe(0);
  });

  test("A-22: a free trial grants nothing", async () => {
    const who = await buyer();
    const period = monthFrom(addMs(harness().now(), -DAY_MS));
    await deliver(
      termOf(who, { id: providerId("sub"), key: "plan:pro", at: period.from, ...period, status: "trialing" }),
    );
    expect(await plan(who)).toBe("free");
  });

  test("a second subscription grants nothing and is reported until the first has ended", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 9);
    const second = month(who, "plan:pro", 5);
    await deliver(first.term, first.paid, second.term, second.paid);
    expect(await plan(who)).toBe("basic");
    expect(await credits(who)).toEqual([400, 0]);
    expect((await termRow(second.id))?.heldReason).toBe("second_subscription");
    expect(await reportsOf(second.paid)).toBe(1);
    const ended = termOf(who, {
      id: first.id,
      key: "plan:basic",
      at: addMs(harness().now(), -HOUR_MS),
      ...first.period,
      status: "canceled",
    });
    await deliver(ended);
    expect(await plan(who)).toBe("pro");
    expect(await credits(who)).toEqual([2500, 0]);
    expect((await termRow(second.id))?.heldReason).toBeNull();
  });

  test("replacing the card costs nothing and grants nothing", async () => {
    const who = await buyer();
    const { id, period } = month(who, "plan:basic");
    const origin = "subscription_payment_method_change";
    const exchange = saleOf(who, {
      items: [["plan:basic", 1]],
      at: harness().now(),
      origin,
      subscriptionId: id,
      period,
      totalMinor: 0,
    });
    await deliver(exchange);
    expect(await plan(who)).toBe("free");
    expect((await paymentOf(exchange))?.heldReason).toBeNull();
  });
});
