import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { paymentAdjustments } from "#db/schema/billing.ts";
import { addMs, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { monthFrom, providerId, returnOf, saleOf } from "#tests/support/billing.ts";
import { billingHouse } from "./billing-house.ts";

const { house, database, buyer, tell, credits, plan, month } = billingHouse();

describe("refunds and chargebacks (DESIGN §6)", () => {
  const takenBy = async (news: { data: Record<string, unknown> }) =>
    (
      await database()
        .db.select()
        .from(paymentAdjustments)
        .where(eq(paymentAdjustments.id, String(news.data.id)))
    )[0]?.credits;

  test("an approved refund takes the pack's credits once; a pending or rejected one takes nothing", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(house().now(), -HOUR_MS) });
    const id = providerId("adj");
    const refund = (status: string, minutes: number) =>
      returnOf({ id, of: sale, at: addMs(house().now(), minutes * 60 * SECOND_MS), status });
    await tell(sale, refund("pending_approval", -30), returnOf({ of: sale, at: house().now(), status: "rejected" }));
    expect(await credits(who)).toEqual([5, 300]);
    await tell(refund("approved", -20), refund("approved", -20));
    expect(await credits(who)).toEqual([5, 0]);
    expect(await takenBy(refund("approved", 0))).toBe(300);
  });

  test("a refund that comes before its payment waits for it", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(house().now(), -HOUR_MS) });
    await tell(returnOf({ of: sale, at: house().now() }));
    await tell(sale);
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("parts take parts, and all parts together no more than the whole", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(house().now(), -HOUR_MS), totalMinor: 600 });
    const part = (minutes: number) =>
      returnOf({ of: sale, at: addMs(house().now(), minutes * 60 * SECOND_MS), totalMinor: 200 });
    await tell(sale, part(-9));
    expect(await credits(who)).toEqual([5, 67]);
    await tell(part(-8));
    expect(await credits(who)).toEqual([5, 33]);
    await tell(part(-7), part(-6));
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("a chargeback takes at once, and its reversal gives that back once, in either order", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:300", 1]], at: addMs(house().now(), -HOUR_MS) });
    const back = returnOf({
      of: sale,
      at: addMs(house().now(), -20 * SECOND_MS),
      action: "chargeback",
      status: "approved",
    });
    const won = returnOf({ of: sale, at: house().now(), action: "chargeback_reverse", status: "approved" });
    await tell(sale, back);
    expect(await credits(who)).toEqual([5, 0]);
    await tell(won, won);
    expect(await credits(who)).toEqual([5, 300]);
    const other = await buyer();
    const lost = saleOf(other, { items: [["pack:free:300", 1]], at: addMs(house().now(), -HOUR_MS) });
    const times = { back: addMs(house().now(), -20 * SECOND_MS), won: house().now() };
    await tell(returnOf({ of: lost, at: times.won, action: "chargeback_reverse", status: "approved" }), lost);
    expect(await credits(other)).toEqual([5, 300]);
    await tell(returnOf({ of: lost, at: times.back, action: "chargeback", status: "approved" }));
    expect(await credits(other)).toEqual([5, 300]);
  });

  test("a refunded month takes the rest of its allowance; one of an older month takes nothing of the new one", async () => {
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
    await tell(term, paid, renewed, returnOf({ of: paid, at: house().now() }));
    expect(await credits(who)).toEqual([400, 0]);
    await tell(returnOf({ of: renewed, at: house().now() }));
    expect(await credits(who)).toEqual([0, 0]);
    expect(await plan(who)).toBe("basic");
  });
});
