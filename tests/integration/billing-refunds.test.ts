import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { paymentAdjustments } from "#db/schema/billing.ts";
import { addMs, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { monthFrom, providerId, returnOf, saleOf } from "#tests/support/billing.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, database, buyer, deliver, credits, plan, month } = billingHarness();

describe("refunds and chargebacks", () => {
  const takenBy = async (providerEvent: { data: Record<string, unknown> }) =>
    (
      await database()
        .db.select()
        .from(paymentAdjustments)
        .where(eq(paymentAdjustments.id, String(providerEvent.data.id)))
    )[0]?.credits;

  test("an approved refund takes the pack's credits once; a pending or rejected one takes nothing", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
    const id = providerId("adj");
    const refund = (status: string, minutes: number) =>
      returnOf({ id, of: sale, at: addMs(harness().now(), minutes * 60 * SECOND_MS), status });
    await deliver(
      sale,
      refund("pending_approval", -30),
      returnOf({ of: sale, at: harness().now(), status: "rejected" }),
    );
    expect(await credits(who)).toEqual([5, 300]);
    await deliver(refund("approved", -20), refund("approved", -20));
    expect(await credits(who)).toEqual([5, 0]);
    expect(await takenBy(refund("approved", 0))).toBe(300);
  });

  test("a refund that is reversed later restores its credits once, and takes nothing when only the reversal is known", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
    const id = providerId("adj");
    const refund = (status: string, minutes: number) =>
      returnOf({ id, of: sale, at: addMs(harness().now(), minutes * 60 * SECOND_MS), status });
    await deliver(sale, refund("approved", -20));
    expect(await credits(who)).toEqual([5, 0]);
    await deliver(refund("reversed", -10), refund("reversed", -10), refund("approved", -20));
    expect(await credits(who)).toEqual([5, 300]);
    const unknown = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(harness().now(), -HOUR_MS) });
    await deliver(unknown, returnOf({ of: unknown, at: harness().now(), status: "reversed" }));
    expect(await credits(who)).toEqual([5, 400]);
  });

  test("a refund that arrives before its payment waits for it", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
    await deliver(returnOf({ of: sale, at: harness().now() }));
    await deliver(sale);
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("partial refunds take their share, and together no more than the whole", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(harness().now(), -HOUR_MS), totalMinor: 600 });
    const part = (minutes: number) =>
      returnOf({ of: sale, at: addMs(harness().now(), minutes * 60 * SECOND_MS), totalMinor: 200 });
    await deliver(sale, part(-9));
    expect(await credits(who)).toEqual([5, 67]);
    await deliver(part(-8));
    expect(await credits(who)).toEqual([5, 33]);
    await deliver(part(-7), part(-6));
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("a chargeback takes credits immediately, and its reversal restores them once, in either order", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
    const back = returnOf({
      of: sale,
      at: addMs(harness().now(), -20 * SECOND_MS),
      action: "chargeback",
      status: "approved",
    });
    const won = returnOf({ of: sale, at: harness().now(), action: "chargeback_reverse", status: "approved" });
    await deliver(sale, back);
    expect(await credits(who)).toEqual([5, 0]);
    await deliver(won, won);
    expect(await credits(who)).toEqual([5, 300]);
    const other = await buyer();
    const lost = saleOf(other, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
    const times = { back: addMs(harness().now(), -20 * SECOND_MS), won: harness().now() };
    await deliver(returnOf({ of: lost, at: times.won, action: "chargeback_reverse", status: "approved" }), lost);
    expect(await credits(other)).toEqual([5, 300]);
    await deliver(returnOf({ of: lost, at: times.back, action: "chargeback", status: "approved" }));
    expect(await credits(other)).toEqual([5, 300]);
  });

  test.each([
    ["refund", "after the sale"],
    ["chargeback", "after the sale"],
    ["refund", "before the sale"],
    ["chargeback", "before the sale"],
  ])("a reversed chargeback doesn't keep a later %s from taking the credits, %s", async (action, order) => {
    const who = await buyer();
    const at = (secondsAgo: number) => addMs(harness().now(), -secondsAgo * SECOND_MS);
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
    const returns = [
      returnOf({ of: sale, at: at(30), action: "chargeback", status: "approved" }),
      returnOf({ of: sale, at: at(20), action: "chargeback_reverse", status: "approved" }),
      returnOf({ of: sale, at: at(10), action, status: "approved" }),
    ];
    if (order === "after the sale") {
      for (const event of [sale, ...returns]) await deliver(event);
    } else await deliver(...returns, sale);
    expect(await credits(who)).toEqual([5, 0]);
  });

  test.each(["refund", "chargeback"])(
    "a %s takes the credits also when it arrives before the news of the earlier reversal",
    async (action) => {
      const who = await buyer();
      const at = (secondsAgo: number) => addMs(harness().now(), -secondsAgo * SECOND_MS);
      const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
      const first = returnOf({ of: sale, at: at(40), action: "chargeback", status: "approved" });
      const reversal = returnOf({ of: sale, at: at(30), action: "chargeback_reverse", status: "approved" });
      const later = returnOf({ of: sale, at: at(20), action, status: "approved" });
      await deliver(sale, first);
      await deliver(later);
      expect(await credits(who)).toEqual([5, 0]);
      await deliver(reversal, reversal);
      expect(await credits(who)).toEqual([5, 0]);
      expect([await takenBy(first), await takenBy(later), await takenBy(reversal)]).toEqual([300, 300, -300]);
      const undone = { of: sale, at: at(10), action: "chargeback_reverse", status: "approved" } as const;
      const failed = { of: sale, at: at(5), id: String(later.data.id), status: "reversed" } as const;
      await deliver(returnOf(action === "chargeback" ? undone : failed));
      expect(await credits(who)).toEqual([5, 300]);
    },
  );

  test("an older chargeback that arrives last is the reversed one, and the newer one takes the credits", async () => {
    const who = await buyer();
    const at = (secondsAgo: number) => addMs(harness().now(), -secondsAgo * SECOND_MS);
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS) });
    const chargeback = (secondsAgo: number) =>
      returnOf({ of: sale, at: at(secondsAgo), action: "chargeback", status: "approved" });
    await deliver(sale, chargeback(30));
    await deliver(returnOf({ of: sale, at: at(20), action: "chargeback_reverse", status: "approved" }));
    expect(await credits(who)).toEqual([5, 300]);
    const oldest = chargeback(40);
    await deliver(oldest, oldest);
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("a part that was refunded before a reversal is known takes its part once", async () => {
    const who = await buyer();
    const at = (secondsAgo: number) => addMs(harness().now(), -secondsAgo * SECOND_MS);
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(harness().now(), -HOUR_MS), totalMinor: 600 });
    await deliver(sale, returnOf({ of: sale, at: at(50), totalMinor: 200 }));
    await deliver(returnOf({ of: sale, at: at(40), action: "chargeback", status: "approved", totalMinor: 400 }));
    await deliver(returnOf({ of: sale, at: at(20), totalMinor: 100 }));
    expect(await credits(who)).toEqual([5, 0]);
    await deliver(returnOf({ of: sale, at: at(30), action: "chargeback_reverse", status: "approved" }));
    expect(await credits(who)).toEqual([5, 150]);
  });

  test("a refunded month takes the rest of its allowance; an older month's refund takes nothing from the new one", async () => {
    const who = await buyer();
    const { id, paid, term, period } = month(who, "plan:basic", 33);
    const next = monthFrom(period.to);
    const origin = "subscription_recurring";
    const renewed = saleOf(who, {
      items: [["plan:basic", 1]],
      at: addMs(next.from, SECOND_MS),
      origin,
      subscriptionId: id,
      period: next,
    });
    await deliver(term, paid, renewed, returnOf({ of: paid, at: harness().now() }));
    expect(await credits(who)).toEqual([400, 0]);
    await deliver(returnOf({ of: renewed, at: harness().now() }));
    expect(await credits(who)).toEqual([0, 0]);
    expect(await plan(who)).toBe("basic");
  });
});
