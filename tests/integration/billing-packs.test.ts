import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import { addMs, DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { monthFrom, saleOf, termOf } from "#tests/support/billing.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, database, buyer, record, deliver, credits, plan, paymentOf, reportsOf, month } = billingHarness();

describe("packs (R-PAY-03, A-58)", () => {
  test("R-PAY-03: grants the credits of the price id once, whatever the amount says", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:500", 1]], at: harness().now(), totalMinor: 1 });
    await deliver(sale, sale);
    await deliver(sale);
    expect(await credits(who)).toEqual([5, 500]);
    expect((await paymentOf(sale))?.grantedAt).not.toBeNull();
  });

  test("grants several packs by quantity, up to ten", async () => {
    const who = await buyer();
    const three = saleOf(who, { items: [["pack:free:100", 3]], at: harness().now() });
    const eleven = saleOf(who, { items: [["pack:free:100", 11]], at: harness().now() });
    await deliver(three, eleven);
    expect(await credits(who)).toEqual([5, 300]);
    expect((await paymentOf(eleven))?.heldReason).toBe("unknown_price");
    expect(await reportsOf(eleven)).toBe(1);
  });

  test("R-PAY-01: holds and reports an unknown price or a mixture, once", async () => {
    const who = await buyer();
    const foreign = saleOf(who, { items: [["nothing of ours", 1]], at: harness().now() });
    const mixed = saleOf(who, {
      items: [
        ["pack:free:100", 1],
        ["plan:basic", 1],
      ],
      at: harness().now(),
    });
    await deliver(foreign, mixed, foreign);
    await deliver(foreign);
    expect(await credits(who)).toEqual([5, 0]);
    expect(await reportsOf(foreign)).toBe(1);
    expect(await reportsOf(mixed)).toBe(1);
  });

  test("holds a pack at the price of a plan the buyer does not have, and grants it once they do", async () => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:pro:1000", 1]], at: harness().now() });
    await deliver(sale);
    expect(await credits(who)).toEqual([5, 0]);
    expect((await paymentOf(sale))?.heldReason).toBe("foreign_price");
    expect(await reportsOf(sale)).toBe(1);
    const { paid, term } = month(who, "plan:pro");
    await deliver(term, paid);
    expect(await credits(who)).toEqual([2500, 1000]);
    expect((await paymentOf(sale))?.heldReason).toBeNull();
  });

  test("the recorded purchase counts after the plan changed, for packs and for a week", async () => {
    const who = await buyer();
    const pack = { items: [["pack:growth:300", 1]] as [string, number][], at: harness().now() };
    const recorded = await record(who, { kind: "pack", plan: "growth" });
    const old = await record(who, { kind: "pack", plan: "growth", at: addMs(harness().now(), -8 * DAY_MS) });
    const ofPlan = await record(who, { kind: "plan", plan: "growth" });
    await deliver(
      saleOf(who, { ...pack, hints: { purchase_ref: recorded } }),
      saleOf(who, { ...pack, hints: { purchase_ref: old } }),
      saleOf(who, { ...pack, hints: { purchase_ref: ofPlan } }),
    );
    // Recorded now, paid more than a week later.
    const late = saleOf(who, { ...pack, hints: { purchase_ref: old } });
    await deliver({ ...late, data: { ...late.data, created_at: addMs(harness().now(), -8 * DAY_MS).toISOString() } });
    expect(await credits(who)).toEqual([5, 300]);
  });

  test("a plan set by an operator allows its price", async () => {
    const who = await buyer();
    await setPlan(who.ctx, { userId: who.userId, plan: "basic", planEndsAt: null });
    await deliver(saleOf(who, { items: [["pack:basic:100", 1]], at: harness().now() }));
    expect((await credits(who))[1]).toBe(100);
    expect(await plan(who)).toBe("basic");
  });

  test("only completed payments count", async () => {
    const who = await buyer();
    for (const status of ["draft", "ready", "billed", "paid", "canceled", "past_due"]) {
      await deliver(saleOf(who, { items: [["pack:free:100", 1]], at: harness().now(), status }));
    }
    expect(await credits(who)).toEqual([5, 0]);
  });
});

describe("ownership", () => {
  test("the recorded purchase takes precedence over the named user", async () => {
    const [who, other] = [await buyer(), await buyer()];
    const purchase_ref = await record(who, { kind: "pack", plan: "free" });
    await deliver(
      saleOf(other, {
        items: [["pack:free:100", 1]],
        at: harness().now(),
        hints: { purchase_ref, user_id: other.userId },
      }),
    );
    expect((await credits(who))[1]).toBe(100);
    expect((await credits(other))[1]).toBe(0);
  });

  test("a payment without an owner is kept and granted when a later one identifies the customer", async () => {
    const who = await buyer();
    const orphan = saleOf(who, { items: [["pack:free:100", 1]], at: addMs(harness().now(), -HOUR_MS), hints: null });
    await deliver(orphan);
    expect((await paymentOf(orphan))?.userId).toBeNull();
    await deliver(saleOf(who, { items: [["pack:free:300", 1]], at: harness().now() }));
    expect(await credits(who)).toEqual([5, 400]);
    expect((await paymentOf(orphan))?.userId).toBe(who.userId);
  });

  test("a renewal without custom data belongs to its subscription, in either order", async () => {
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
    await deliver(renewed, termOf(who, { id, key: "plan:basic", at: next.from, ...next, hints: null }));
    expect(await plan(who)).toBe("free");
    await deliver(paid, term);
    expect(await plan(who)).toBe("basic");
    expect((await paymentOf(renewed))?.userId).toBe(who.userId);
  });

  test.each([
    { user_id: "a\u0000b", purchase_ref: "\ud800" },
    { user_id: { $ne: null }, purchase_ref: ["pur_1"] },
    { user_id: "x".repeat(5_000), credits: "\u0000" },
  ])("malformed custom data from the browser is ignored: %j", async (hints) => {
    const who = await buyer();
    const sale = saleOf(who, { items: [["pack:free:100", 1]], at: harness().now(), hints });
    await deliver(sale);
    expect(await paymentOf(sale)).toMatchObject({ userId: null, purchaseId: null, status: "completed" });
  });

  test("custom data that names no known user or purchase is not an error", async () => {
    const who = await buyer();
    for (const hints of [
      { user_id: "usr_00000000000000000000000000" },
      { user_id: "'; drop table users" },
      { purchase_ref: "pur_1" },
    ]) {
      await deliver(saleOf(who, { items: [["pack:free:100", 1]], at: harness().now(), hints }));
    }
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("a payment for a deleted account is held and reported", async () => {
    const who = await buyer();
    await database().db.update(users).set({ closedAt: harness().now() }).where(eq(users.id, who.userId));
    const sale = saleOf(who, { items: [["pack:free:100", 1]], at: harness().now() });
    await deliver(sale);
    expect((await paymentOf(sale))?.heldReason).toBe("closed_user");
    expect(await reportsOf(sale)).toBe(1);
  });
});
