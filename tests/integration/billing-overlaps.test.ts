import { describe, expect, test } from "vitest";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { releasePayment } from "#lib/features/billing/held-payments.ts";
import { findSubscriptionView } from "#lib/features/billing/queries.ts";
import { type Buyer, monthFrom, renewalOf, returnOf, saleOf, termOf, upgradeShare } from "#tests/support/billing.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, buyer, deliver, credits, plan, paymentOf, termRow, reportsOf, month } = billingHarness();

type Month = ReturnType<typeof month>;
const hoursAgo = (hours: number): Date => addMs(harness().now(), -hours * HOUR_MS);
const subscriptionReport = (
  who: Buyer,
  { id, from, period }: Month,
  key: string,
  more: { at: Date; status?: string },
) => termOf(who, { id, key, ...period, startedAt: from, ...more });
const stateOf = async (who: Buyer) => [await plan(who), await credits(who)];

describe("two subscriptions of one buyer (A-96)", () => {
  test("a second one canceled by support takes nothing from the first, whose upgrade counts", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await deliver(first.term, first.paid, second.term, second.paid);
    await deliver(subscriptionReport(who, second, "plan:pro", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    expect((await paymentOf(second.paid))?.heldReason).toBe("second_subscription");
    expect(await reportsOf(second.paid)).toBe(1);
    const at = hoursAgo(0.5);
    const raise = {
      origin: "subscription_update",
      subscriptionId: first.id,
      period: { from: at, to: first.period.to },
    };
    await deliver(saleOf(who, { items: [["plan:growth", 1]], at, totalMinor: 1800, ...raise }));
    expect(await stateOf(who)).toEqual(["growth", [400 + upgradeShare(first, at, 600), 0]]);
  });

  test("a second one refunded and then canceled takes nothing from the first", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await deliver(first.term, first.paid, second.term, second.paid, returnOf({ of: second.paid, at: hoursAgo(2) }));
    await deliver(subscriptionReport(who, second, "plan:pro", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
  });

  test("a second one that support refunded and closed stays closed even when the first ends", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await deliver(first.term, first.paid, second.term, second.paid);
    await releasePayment(who.ctx, { kind: "close", transactionId: String(second.paid.data.id) });
    const closed = await paymentOf(second.paid);
    await deliver(
      returnOf({ of: second.paid, at: hoursAgo(2) }),
      subscriptionReport(who, first, "plan:basic", { at: hoursAgo(1.5) }),
    );
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    expect((await findSubscriptionView(who.ctx, who.userId)).subscription?.id).toBe(first.id);
    await deliver(subscriptionReport(who, first, "plan:basic", { at: hoursAgo(1), status: "canceled" }));
    expect(await paymentOf(second.paid)).toEqual(closed);
    expect(await reportsOf(second.paid)).toBe(1);
    expect(await stateOf(who)).toEqual(["free", [5, 0]]);
    await deliver(subscriptionReport(who, second, "plan:pro", { at: hoursAgo(0.5), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["free", [5, 0]]);
  });

  test("canceling the first after its renewal grants the second one's period", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 32), month(who, "plan:pro", 5)];
    const period = monthFrom(first.period.to);
    const next: Month = { ...first, period };
    await deliver(first.term, first.paid, second.term, second.paid, renewalOf(who, first, "plan:basic"));
    await deliver(subscriptionReport(who, next, "plan:basic", { at: addMs(period.from, 2 * SECOND_MS) }));
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    await deliver(subscriptionReport(who, next, "plan:basic", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["pro", [2500, 0]]);
    expect((await termRow(second.id))?.heldReason).toBeNull();
  });

  test("periods of the second one that ended alongside the first stay held when the first ends", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 35), month(who, "plan:growth", 33)];
    const renewed = renewalOf(who, second, "plan:growth");
    const period = monthFrom(second.period.to);
    await deliver(first.term, first.paid, renewalOf(who, first, "plan:basic"), second.term, second.paid, renewed);
    await deliver(subscriptionReport(who, { ...second, period }, "plan:growth", { at: addMs(period.from, SECOND_MS) }));
    await deliver(subscriptionReport(who, first, "plan:basic", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["growth", [1000, 0]]);
    expect((await paymentOf(second.paid))?.heldReason).toBe("second_subscription");
    expect(await paymentOf(renewed)).toMatchObject({ heldReason: null, grantedAt: expect.any(Date) });
  });

  test("when the first arrives later, the second is held and reported, and its remainder is restored when the first ends", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await deliver(second.term, second.paid);
    expect(await stateOf(who)).toEqual(["pro", [2500, 0]]);
    await deliver(first.paid, first.term);
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    expect(await paymentOf(second.paid)).toMatchObject({ heldReason: "second_subscription", grantedAt: null });
    expect(await reportsOf(second.paid)).toBe(1);
    // Half was refunded meanwhile, so half is taken when the rest is restored.
    await deliver(returnOf({ of: second.paid, at: hoursAgo(3), totalMinor: 3950 }));
    await deliver(subscriptionReport(who, first, "plan:basic", { at: hoursAgo(2), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["pro", [1250, 0]]);
    // Repeats the contradicting reports several times.
    for (const minutes of [90, 70, 50]) {
      await deliver(subscriptionReport(who, first, "plan:basic", { at: hoursAgo(minutes / 60) }));
      expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
      await deliver(
        subscriptionReport(who, first, "plan:basic", { at: hoursAgo((minutes - 10) / 60), status: "canceled" }),
      );
      expect(await stateOf(who)).toEqual(["pro", [1250, 0]]);
    }
  });

  test("one bought while the first was paused keeps granting after the first resumes", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 70), month(who, "plan:growth", 5)];
    await deliver(
      first.term,
      first.paid,
      subscriptionReport(who, first, "plan:basic", { at: hoursAgo(30 * 24), status: "paused" }),
    );
    await deliver(second.term, second.paid);
    expect(await stateOf(who)).toEqual(["growth", [1000, 0]]);
    const period = monthFrom(hoursAgo(3));
    const again = {
      items: [["plan:basic", 1]] as [string, number][],
      at: hoursAgo(2.9),
      subscriptionId: first.id,
      period,
    };
    const paidAgain = saleOf(who, { ...again, origin: "subscription_recurring" });
    await deliver(subscriptionReport(who, { ...first, period }, "plan:basic", { at: hoursAgo(3) }), paidAgain);
    expect(await stateOf(who)).toEqual(["growth", [1000, 0]]);
    expect((await paymentOf(paidAgain))?.heldReason).toBe("second_subscription");
  });
});

describe("a plan that was paused (A-99)", () => {
  test("resumed with a card that is declined again grants no plan; the payment does", async () => {
    const who = await buyer();
    const first = month(who, "plan:pro", 120);
    await deliver(
      first.term,
      first.paid,
      subscriptionReport(who, first, "plan:pro", { at: hoursAgo(60 * 24), status: "paused" }),
    );
    expect(await plan(who)).toBe("free");
    const period = monthFrom(hoursAgo(1));
    const now = { ...first, period };
    await deliver(subscriptionReport(who, now, "plan:pro", { at: addMs(period.from, SECOND_MS) }));
    expect(await plan(who)).toBe("free");
    await deliver(subscriptionReport(who, now, "plan:pro", { at: addMs(period.from, MINUTE_MS), status: "past_due" }));
    expect(await plan(who)).toBe("free");
    await deliver(renewalOf(who, { id: first.id, period: { to: period.from } }, "plan:pro"));
    expect(await stateOf(who)).toEqual(["pro", [2500, 0]]);
  });

  test("past due after a declined renewal keeps the plan", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 50);
    const period = monthFrom(first.period.to);
    await deliver(first.term, first.paid);
    await deliver(
      subscriptionReport(who, { ...first, period }, "plan:basic", {
        at: addMs(period.from, MINUTE_MS),
        status: "past_due",
      }),
    );
    expect(await plan(who)).toBe("basic");
  });

  test("resuming within the paid period restores the remaining credits once", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 5);
    await deliver(
      first.term,
      first.paid,
      subscriptionReport(who, first, "plan:basic", { at: hoursAgo(4), status: "paused" }),
    );
    expect((await credits(who))[0]).toBeLessThan(400);
    for (const hours of [3, 2]) {
      await deliver(subscriptionReport(who, first, "plan:basic", { at: hoursAgo(hours) }));
      expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
      await deliver(subscriptionReport(who, first, "plan:basic", { at: hoursAgo(hours - 0.5), status: "paused" }));
      expect(await stateOf(who)).toEqual(["free", [0, 0]]);
    }
  });
});

describe("two upgrades within one period (A-96)", () => {
  const raisedTwice = async (who: Buyer) => {
    const first = month(who, "plan:basic", 9);
    const raise = (key: string, days: number, totalMinor: number) => {
      const at = addMs(first.from, days * DAY_MS);
      const period = { from: at, to: first.period.to };
      const more = { origin: "subscription_update", subscriptionId: first.id, period, totalMinor };
      return saleOf(who, { items: [[key, 1]], at, ...more });
    };
    const [one, two] = [raise("plan:growth", 2, 1800), raise("plan:pro", 4, 2500)];
    await deliver(first.term, first.paid, one, two);
    const [ofOne, ofTwo] = [upgradeShare(first, one.at, 600), upgradeShare(first, two.at, 1500)];
    expect(await credits(who)).toEqual([400 + ofOne + ofTwo, 0]);
    return { one, two, base: first.paid, ofOne, ofTwo };
  };

  test("a refund of the second takes what the second granted", async () => {
    const who = await buyer();
    const { two, ofOne } = await raisedTwice(who);
    await deliver(returnOf({ of: two, at: harness().now() }));
    expect(await credits(who)).toEqual([400 + ofOne, 0]);
  });

  test("refunds of all three take what each granted and no more", async () => {
    const who = await buyer();
    const { one, two, base, ofTwo } = await raisedTwice(who);
    await deliver(returnOf({ of: one, at: hoursAgo(3) }));
    expect(await credits(who)).toEqual([400 + ofTwo, 0]);
    await deliver(returnOf({ of: base, at: hoursAgo(2) }));
    expect(await credits(who)).toEqual([ofTwo, 0]);
    await deliver(returnOf({ of: two, at: hoursAgo(1) }));
    expect(await credits(who)).toEqual([0, 0]);
  });
});

test("A-22: a free trial grants nothing, even if it is reported as a payment", async () => {
  const who = await buyer();
  const { id, from, period } = month(who, "plan:pro");
  await deliver(termOf(who, { id, key: "plan:pro", at: from, ...period, status: "trialing" }));
  await deliver(
    saleOf(who, { items: [["plan:pro", 1]], at: addMs(from, SECOND_MS), subscriptionId: id, period, totalMinor: 0 }),
  );
  expect(await stateOf(who)).toEqual(["free", [5, 0]]);
});
