import { describe, expect, test } from "vitest";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { releasePayment } from "#lib/features/billing/held-payments.ts";
import { findSubscriptionView } from "#lib/features/billing/queries.ts";
import { type Buyer, monthFrom, renewalOf, returnOf, saleOf, termOf } from "#tests/support/billing.ts";
import { billingHouse } from "./billing-house.ts";

const { house, buyer, tell, credits, plan, paymentOf, termRow, reportsOf, month } = billingHouse();

type Month = ReturnType<typeof month>;
const hoursAgo = (hours: number): Date => addMs(house().now(), -hours * HOUR_MS);
const told = (who: Buyer, { id, from, period }: Month, key: string, more: { at: Date; status?: string }) =>
  termOf(who, { id, key, ...period, startedAt: from, ...more });
const stateOf = async (who: Buyer) => [await plan(who), await credits(who)];

describe("two subscriptions of one buyer (A-96)", () => {
  test("the second one, canceled by support, takes nothing of the first, whose upgrade counts", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await tell(first.term, first.paid, second.term, second.paid);
    await tell(told(who, second, "plan:pro", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    expect((await paymentOf(second.paid))?.heldReason).toBe("second_subscription");
    expect(await reportsOf(second.paid)).toBe(1);
    const at = hoursAgo(0.5);
    const raise = {
      origin: "subscription_update",
      subscriptionId: first.id,
      period: { from: at, to: first.period.to },
    };
    await tell(saleOf(who, { items: [["plan:growth", 1]], at, totalMinor: 1800, ...raise }));
    expect(await stateOf(who)).toEqual(["growth", [1000, 0]]);
  });

  test("the second one, refunded and then canceled, takes nothing of the first", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await tell(first.term, first.paid, second.term, second.paid, returnOf({ of: second.paid, at: hoursAgo(2) }));
    await tell(told(who, second, "plan:pro", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
  });

  test("a second one that support refunded and closed stays closed, also when the first ends", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await tell(first.term, first.paid, second.term, second.paid);
    await releasePayment(who.ctx, { kind: "close", transactionId: String(second.paid.data.id) });
    const closed = await paymentOf(second.paid);
    await tell(returnOf({ of: second.paid, at: hoursAgo(2) }), told(who, first, "plan:basic", { at: hoursAgo(1.5) }));
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    expect((await findSubscriptionView(who.ctx, who.userId)).subscription?.id).toBe(first.id);
    await tell(told(who, first, "plan:basic", { at: hoursAgo(1), status: "canceled" }));
    expect(await paymentOf(second.paid)).toEqual(closed);
    expect(await reportsOf(second.paid)).toBe(1);
    expect(await stateOf(who)).toEqual(["free", [5, 0]]);
    await tell(told(who, second, "plan:pro", { at: hoursAgo(0.5), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["free", [5, 0]]);
  });

  test("the first one, canceled after its renewal, leaves the second one's month to be given", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 32), month(who, "plan:pro", 5)];
    const period = monthFrom(first.period.to);
    const next: Month = { ...first, period };
    await tell(first.term, first.paid, second.term, second.paid, renewalOf(who, first, "plan:basic"));
    await tell(told(who, next, "plan:basic", { at: addMs(period.from, 2 * SECOND_MS) }));
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    await tell(told(who, next, "plan:basic", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["pro", [2500, 0]]);
    expect((await termRow(second.id))?.heldReason).toBeNull();
  });

  test("months of the second one that ended beside the first stay held when the first ends", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 35), month(who, "plan:growth", 33)];
    const renewed = renewalOf(who, second, "plan:growth");
    const period = monthFrom(second.period.to);
    await tell(first.term, first.paid, renewalOf(who, first, "plan:basic"), second.term, second.paid, renewed);
    await tell(told(who, { ...second, period }, "plan:growth", { at: addMs(period.from, SECOND_MS) }));
    await tell(told(who, first, "plan:basic", { at: hoursAgo(1), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["growth", [1000, 0]]);
    expect((await paymentOf(second.paid))?.heldReason).toBe("second_subscription");
    expect(await paymentOf(renewed)).toMatchObject({ heldReason: null, grantedAt: expect.any(Date) });
  });

  test("the first one that is heard of after the second: the second is held, reported, and comes back with what is left", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 9), month(who, "plan:pro", 5)];
    await tell(second.term, second.paid);
    expect(await stateOf(who)).toEqual(["pro", [2500, 0]]);
    await tell(first.paid, first.term);
    expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
    expect(await paymentOf(second.paid)).toMatchObject({ heldReason: "second_subscription", grantedAt: null });
    expect(await reportsOf(second.paid)).toBe(1);
    // Half of it refunded meanwhile: it takes its half when the rest is there again.
    await tell(returnOf({ of: second.paid, at: hoursAgo(3), totalMinor: 3950 }));
    await tell(told(who, first, "plan:basic", { at: hoursAgo(2), status: "canceled" }));
    expect(await stateOf(who)).toEqual(["pro", [1250, 0]]);
    // Told that it went on after all, and that it did not: as often as one likes.
    for (const minutes of [90, 70, 50]) {
      await tell(told(who, first, "plan:basic", { at: hoursAgo(minutes / 60) }));
      expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
      await tell(told(who, first, "plan:basic", { at: hoursAgo((minutes - 10) / 60), status: "canceled" }));
      expect(await stateOf(who)).toEqual(["pro", [1250, 0]]);
    }
  });

  test("one that was bought while the first was paused goes on giving when the first is resumed", async () => {
    const who = await buyer();
    const [first, second] = [month(who, "plan:basic", 70), month(who, "plan:growth", 5)];
    await tell(first.term, first.paid, told(who, first, "plan:basic", { at: hoursAgo(30 * 24), status: "paused" }));
    await tell(second.term, second.paid);
    expect(await stateOf(who)).toEqual(["growth", [1000, 0]]);
    const period = monthFrom(hoursAgo(3));
    const again = {
      items: [["plan:basic", 1]] as [string, number][],
      at: hoursAgo(2.9),
      subscriptionId: first.id,
      period,
    };
    const paidAgain = saleOf(who, { ...again, origin: "subscription_recurring" });
    await tell(told(who, { ...first, period }, "plan:basic", { at: hoursAgo(3) }), paidAgain);
    expect(await stateOf(who)).toEqual(["growth", [1000, 0]]);
    expect((await paymentOf(paidAgain))?.heldReason).toBe("second_subscription");
  });
});

describe("a plan that was paused (A-99)", () => {
  test("resumed with a card that is declined again gives no plan; with the payment it does", async () => {
    const who = await buyer();
    const first = month(who, "plan:pro", 120);
    await tell(first.term, first.paid, told(who, first, "plan:pro", { at: hoursAgo(60 * 24), status: "paused" }));
    expect(await plan(who)).toBe("free");
    const period = monthFrom(hoursAgo(1));
    const now = { ...first, period };
    await tell(told(who, now, "plan:pro", { at: addMs(period.from, SECOND_MS) }));
    expect(await plan(who)).toBe("free");
    await tell(told(who, now, "plan:pro", { at: addMs(period.from, MINUTE_MS), status: "past_due" }));
    expect(await plan(who)).toBe("free");
    await tell(renewalOf(who, { id: first.id, period: { to: period.from } }, "plan:pro"));
    expect(await stateOf(who)).toEqual(["pro", [2500, 0]]);
  });

  test("past due after a renewal that was declined keeps the plan all the while", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 50);
    const period = monthFrom(first.period.to);
    await tell(first.term, first.paid);
    await tell(
      told(who, { ...first, period }, "plan:basic", { at: addMs(period.from, MINUTE_MS), status: "past_due" }),
    );
    expect(await plan(who)).toBe("basic");
  });

  test("DESIGN §6: resumed within the month that is paid for, what was left of its credits comes back, once", async () => {
    const who = await buyer();
    const first = month(who, "plan:basic", 5);
    await tell(first.term, first.paid, told(who, first, "plan:basic", { at: hoursAgo(4), status: "paused" }));
    expect((await credits(who))[0]).toBeLessThan(400);
    for (const hours of [3, 2]) {
      await tell(told(who, first, "plan:basic", { at: hoursAgo(hours) }));
      expect(await stateOf(who)).toEqual(["basic", [400, 0]]);
      await tell(told(who, first, "plan:basic", { at: hoursAgo(hours - 0.5), status: "paused" }));
      expect(await stateOf(who)).toEqual(["free", [0, 0]]);
    }
  });
});

describe("two raises within one month (A-96)", () => {
  const raisedTwice = async (who: Buyer) => {
    const first = month(who, "plan:basic", 9);
    const raise = (key: string, days: number, totalMinor: number) => {
      const at = addMs(first.from, days * DAY_MS);
      const period = { from: at, to: first.period.to };
      const more = { origin: "subscription_update", subscriptionId: first.id, period, totalMinor };
      return saleOf(who, { items: [[key, 1]], at, ...more });
    };
    const [one, two] = [raise("plan:growth", 2, 1800), raise("plan:pro", 4, 2500)];
    await tell(first.term, first.paid, one, two);
    expect(await credits(who)).toEqual([2500, 0]);
    return { one, two, base: first.paid };
  };

  test("a refund of the second takes what the second gave", async () => {
    const who = await buyer();
    const { two } = await raisedTwice(who);
    await tell(returnOf({ of: two, at: house().now() }));
    expect(await credits(who)).toEqual([1000, 0]);
  });

  test("refunds of all three take what each gave, and no more", async () => {
    const who = await buyer();
    const { one, two, base } = await raisedTwice(who);
    await tell(returnOf({ of: one, at: hoursAgo(3) }));
    expect(await credits(who)).toEqual([1900, 0]);
    await tell(returnOf({ of: base, at: hoursAgo(2) }));
    expect(await credits(who)).toEqual([1500, 0]);
    await tell(returnOf({ of: two, at: hoursAgo(1) }));
    expect(await credits(who)).toEqual([0, 0]);
  });
});

test("A-22: a trial that costs nothing gives nothing, also when it is told as a payment", async () => {
  const who = await buyer();
  const { id, from, period } = month(who, "plan:pro");
  await tell(termOf(who, { id, key: "plan:pro", at: from, ...period, status: "trialing" }));
  await tell(
    saleOf(who, { items: [["plan:pro", 1]], at: addMs(from, SECOND_MS), subscriptionId: id, period, totalMinor: 0 }),
  );
  expect(await stateOf(who)).toEqual(["free", [5, 0]]);
});
