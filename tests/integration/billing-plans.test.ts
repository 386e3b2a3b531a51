import { describe, expect, test } from "vitest";
import { addMs, DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { findSubscriptionView } from "#lib/features/billing/queries.ts";
import { toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { monthFrom, providerId, saleOf, termOf } from "#tests/support/billing.ts";
import { billingHouse } from "./billing-house.ts";

const { house, buyer, tell, credits, plan, paymentOf, termRow, reportsOf, month } = billingHouse();

describe("plans (R-SUB, A-25, A-96)", () => {
  test("R-PRICE-05: a completed payment gives the plan and its allowance; what the provider says besides gives none", async () => {
    const who = await buyer();
    const { paid, term } = month(who, "plan:basic");
    await tell(term);
    expect(await plan(who)).toBe("free");
    await tell(paid);
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

  test("R-PRICE-08, DESIGN §6: a renewal gives the next allowance, and the rest of the old one goes", async () => {
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
    // The renewal first: the older payment counts as given then, and gives nothing any more.
    await tell(renewed, ongoing);
    expect(await credits(who)).toEqual([400, 0]);
    await tell(paid, term);
    expect(await credits(who)).toEqual([400, 0]);
    expect((await paymentOf(paid))?.grantedAt).not.toBeNull();
    expect((await termRow(id))?.periodEndsAt).toEqual(next.to);
  });

  test("A-96: a larger plan within the period raises the allowance by the difference; known before its base payment it waits", async () => {
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
    await tell(raise, changed);
    expect(await plan(who)).toBe("free");
    await tell(paid, term);
    expect(await plan(who)).toBe("growth");
    expect(await credits(who)).toEqual([1000, 0]);
  });

  test("A-96: a smaller plan from the next renewal on shows, and changes nothing before", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:pro");
    await tell(term, paid, termOf(who, { id, key: "plan:basic", at: addMs(from, HOUR_MS), ...period }));
    expect(await credits(who)).toEqual([2500, 0]);
    const wire = toSubscriptionWire(await findSubscriptionView(who.ctx, who.userId));
    expect(wire).toMatchObject({ plan: { slug: "pro" }, next_plan: "basic", auto_renew: true });
  });

  test("R-SUB-02, R-SUB-06, A-95: a scheduled end ends the plan by its date, without a further event", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:basic");
    const scheduled = { action: "cancel" as const, at: period.to };
    await tell(term, paid, termOf(who, { id, key: "plan:basic", at: addMs(from, HOUR_MS), ...period, scheduled }));
    expect(await plan(who)).toBe("basic");
    const view = () => findSubscriptionView(who.ctx, who.userId);
    expect(toSubscriptionWire(await view())).toMatchObject({ status: "active (canceling)", auto_renew: false });
    await house().later(26 * DAY_MS, async () => {
      expect(toSubscriptionWire(await view())).toMatchObject({
        status: "canceled",
        plan: { slug: "free" },
      });
      expect(await credits(who)).toEqual([5, 0]);
    });
  });

  test("R-SUB-02: an end that is taken back renews again", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:basic");
    const scheduled = { action: "cancel" as const, at: period.to };
    const kept = termOf(who, { id, key: "plan:basic", at: addMs(from, 2 * HOUR_MS), ...period });
    // The older description comes last: it changes nothing.
    await tell(
      term,
      paid,
      kept,
      termOf(who, { id, key: "plan:basic", at: addMs(from, HOUR_MS), ...period, scheduled }),
    );
    const wire = toSubscriptionWire(await findSubscriptionView(who.ctx, who.userId));
    expect(wire).toMatchObject({ status: "active", auto_renew: true });
  });

  test("A-99: past due keeps the plan, paused and canceled give the free one", async () => {
    const who = await buyer();
    const { id, paid, term, period, from } = month(who, "plan:basic");
    const told = (status: string, hours: number) =>
      termOf(who, { id, key: "plan:basic", at: addMs(from, hours * HOUR_MS), ...period, status });
    const wire = async () => toSubscriptionWire(await findSubscriptionView(who.ctx, who.userId));
    await tell(term, paid, told("past_due", 1));
    expect(await wire()).toMatchObject({ status: "active", payment_problem: "past_due", plan: { slug: "basic" } });
    await tell(told("paused", 2));
    expect(await wire()).toMatchObject({ status: "canceled", payment_problem: "paused", plan: { slug: "free" } });
    await tell(told("active", 3));
    expect(await wire()).toMatchObject({ status: "active", payment_problem: null, plan: { slug: "basic" } });
    await tell(told("canceled", 4));
    expect(await wire()).toMatchObject({ status: "canceled", payment_problem: null, plan: { slug: "free" } });
    expect((await credits(who))[1]).toBe(0);
  });

  test("A-22: a trial that nobody paid for gives nothing", async () => {
    const who = await buyer();
    const period = monthFrom(addMs(house().now(), -DAY_MS));
    await tell(termOf(who, { id: providerId("sub"), key: "plan:pro", at: period.from, ...period, status: "trialing" }));
    expect(await plan(who)).toBe("free");
  });

  test("a second subscription beside the first gives nothing and is reported, until the first has ended", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 9);
    const second = month(who, "plan:pro", 5);
    await tell(first.term, first.paid, second.term, second.paid);
    expect(await plan(who)).toBe("basic");
    expect(await credits(who)).toEqual([400, 0]);
    expect((await termRow(second.id))?.heldReason).toBe("second_subscription");
    expect(await reportsOf(second.paid)).toBe(1);
    const ended = termOf(who, {
      id: first.id,
      key: "plan:basic",
      at: addMs(house().now(), -HOUR_MS),
      ...first.period,
      status: "canceled",
    });
    await tell(ended);
    expect(await plan(who)).toBe("pro");
    expect(await credits(who)).toEqual([2500, 0]);
    expect((await termRow(second.id))?.heldReason).toBeNull();
  });

  test("an exchange of the card costs nothing and gives nothing", async () => {
    const who = await buyer();
    const { id, period } = month(who, "plan:basic");
    const origin = "subscription_payment_method_change";
    const exchange = saleOf(who, {
      items: [["plan:basic", 1]],
      at: house().now(),
      origin,
      subscriptionId: id,
      period,
      totalMinor: 0,
    });
    await tell(exchange);
    expect(await plan(who)).toBe("free");
    expect((await paymentOf(exchange))?.heldReason).toBeNull();
  });
});
