import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import { addMs, DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { monthFrom, saleOf, termOf } from "#tests/support/billing.ts";
import { billingHouse } from "./billing-house.ts";

const { house, database, buyer, record, tell, credits, plan, paymentOf, reportsOf, month } = billingHouse();

describe("packs (R-PAY-03, A-58)", () => {
  test("R-PAY-03: the credits of the price id are given, once, whatever the amount says", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:500", 1]], at: house().now(), totalMinor: 1 });
    await tell(sale, sale);
    await tell(sale);
    expect(await credits(who)).toEqual([5, 500]);
    expect((await paymentOf(sale))?.grantedAt).not.toBeNull();
  });

  test("several packs count by their number, up to ten", async () => {
    const who = await buyer();
    const three = saleOf(who, { items: [["pack:free:100", 3]], at: house().now() });
    const eleven = saleOf(who, { items: [["pack:free:100", 11]], at: house().now() });
    await tell(three, eleven);
    expect(await credits(who)).toEqual([5, 300]);
    expect((await paymentOf(eleven))?.heldReason).toBe("unknown_price");
    expect(await reportsOf(eleven)).toBe(1);
  });

  test("R-PAY-01: a price that is not ours, or a mixture, is held and reported once", async () => {
    const who = await buyer();
    const foreign = saleOf(who, { items: [["nothing of ours", 1]], at: house().now() });
    const mixed = saleOf(who, {
      items: [
        ["pack:free:100", 1],
        ["plan:basic", 1],
      ],
      at: house().now(),
    });
    await tell(foreign, mixed, foreign);
    await tell(foreign);
    expect(await credits(who)).toEqual([5, 0]);
    expect(await reportsOf(foreign)).toBe(1);
    expect(await reportsOf(mixed)).toBe(1);
  });

  test("DESIGN §6: a pack at the price of a plan that its buyer has not got is held, and given once they have it", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:pro:1000", 1]], at: house().now() });
    await tell(sale);
    expect(await credits(who)).toEqual([5, 0]);
    expect((await paymentOf(sale))?.heldReason).toBe("foreign_price");
    expect(await reportsOf(sale)).toBe(1);
    const { paid, term } = month(who, "plan:pro");
    await tell(term, paid);
    expect(await credits(who)).toEqual([2500, 1000]);
    expect((await paymentOf(sale))?.heldReason).toBeNull();
  });

  test("DESIGN §6: the recorded purchase counts, though the plan has changed since; for packs, and for a week", async () => {
    const who = await buyer();
    const pack = { items: [["pack:growth:300", 1]] as [string, number][], at: house().now() };
    const recorded = await record(who, { kind: "pack", plan: "growth" });
    const old = await record(who, { kind: "pack", plan: "growth", at: addMs(house().now(), -8 * DAY_MS) });
    const ofPlan = await record(who, { kind: "plan", plan: "growth" });
    await tell(
      saleOf(who, { ...pack, hints: { purchase_ref: recorded } }),
      saleOf(who, { ...pack, hints: { purchase_ref: old } }),
      saleOf(who, { ...pack, hints: { purchase_ref: ofPlan } }),
    );
    // Begun at once, and paid when the week was over.
    const late = saleOf(who, { ...pack, hints: { purchase_ref: old } });
    await tell({ ...late, data: { ...late.data, created_at: addMs(house().now(), -8 * DAY_MS).toISOString() } });
    expect(await credits(who)).toEqual([5, 300]);
  });

  test("a plan that an operator gave allows its price", async () => {
    const who = await buyer();
    await setPlan(who.ctx, { userId: who.userId, plan: "basic", planEndsAt: null });
    await tell(saleOf(who, { items: [["pack:basic:100", 1]], at: house().now() }));
    expect((await credits(who))[1]).toBe(100);
    expect(await plan(who)).toBe("basic");
  });

  test("only completed ones count", async () => {
    const who = await buyer();
    for (const status of ["draft", "ready", "billed", "paid", "canceled", "past_due"]) {
      await tell(saleOf(who, { items: [["pack:free:100", 1]], at: house().now(), status }));
    }
    expect(await credits(who)).toEqual([5, 0]);
  });
});

describe("whose it is", () => {
  test("the recorded purchase comes before the user that is named", async () => {
    const [who, other] = [await buyer(), await buyer()];
    const purchase_ref = await record(who, { kind: "pack", plan: "free" });
    await tell(
      saleOf(other, {
        items: [["pack:free:100", 1]],
        at: house().now(),
        hints: { purchase_ref, user_id: other.userId },
      }),
    );
    expect((await credits(who))[1]).toBe(100);
    expect((await credits(other))[1]).toBe(0);
  });

  test("a payment of nobody is kept, and given when a later one tells whose customer it is", async () => {
    const who = await buyer();
    const orphan = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(house().now(), -HOUR_MS), hints: null });
    await tell(orphan);
    expect((await paymentOf(orphan))?.userId).toBeNull();
    await tell(saleOf(who, { items: [["pack:free:300", 1]], at: house().now() }));
    expect(await credits(who)).toEqual([5, 400]);
    expect((await paymentOf(orphan))?.userId).toBe(who.userId);
  });

  test("a renewal that names nobody belongs to its subscription, in either order", async () => {
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
      hints: null,
    });
    await tell(renewed, termOf(who, { id, key: "plan:basic", at: next.from, ...next, hints: null }));
    expect(await plan(who)).toBe("free");
    await tell(paid, term);
    expect(await plan(who)).toBe("basic");
    expect((await paymentOf(renewed))?.userId).toBe(who.userId);
  });

  test.each([
    { user_id: "a\u0000b", purchase_ref: "\ud800" },
    { user_id: { $ne: null }, purchase_ref: ["pur_1"] },
    { user_id: "x".repeat(5_000), credits: "\u0000" },
  ])("custom data that a browser made to be in the way are stored as none: %j", async (hints) => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:100", 1]], at: house().now(), hints });
    await tell(sale);
    expect(await paymentOf(sale)).toMatchObject({ userId: null, purchaseId: null, status: "completed" });
  });

  test("hints that name nobody, or hold what is no id, are no error", async () => {
    const who = await buyer();
    for (const hints of [
      { user_id: "usr_00000000000000000000000000" },
      { user_id: "'; drop table users" },
      { purchase_ref: "pur_1" },
    ]) {
      await tell(saleOf(who, { items: [["pack:free:100", 1]], at: house().now(), hints }));
    }
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("what is paid for a deleted account is held and reported", async () => {
    const who = await buyer();
    await database().db.update(users).set({ closedAt: house().now() }).where(eq(users.id, who.userId));
    const sale = saleOf(who, { items: [["pack:free:100", 1]], at: house().now() });
    await tell(sale);
    expect((await paymentOf(sale))?.heldReason).toBe("closed_user");
    expect(await reportsOf(sale)).toBe(1);
  });
});
