import type { ProrationBillingMode } from "@paddle/paddle-node-sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CARDS,
  DAY_MS,
  type House,
  PRICES,
  startHouse,
  subscribe,
  totalOf,
  transactionsOf,
} from "./sandbox-paddle-client.ts";

let house: House;
beforeEach(async () => {
  house = await startHouse();
});
afterEach(() => house.close());

/** A change to one of another price. */
function toPrice(priceId: string, prorationBillingMode: ProrationBillingMode) {
  return { items: [{ priceId, quantity: 1 }], prorationBillingMode };
}

describe("changes", () => {
  test("R-SRV-10 A-96 an upgrade is billed by the days that are left, less what was paid for them", async () => {
    const { id } = await subscribe(house);
    await house.moveTo(10);
    const { currentBillingPeriod, nextBilledAt } = await house.paddle.subscriptions.get(id);
    const { startsAt = "", endsAt = "" } = currentBillingPeriod ?? {};
    const days = Math.round((Date.parse(endsAt) - Date.parse(startsAt)) / DAY_MS);
    const left = days - 10;
    const change = toPrice(PRICES.growth, "prorated_immediately");
    const charge = Math.round((7900 * left) / days) - Math.round((2900 * left) / days);
    const preview = await house.paddle.subscriptions.previewUpdate(id, change);
    expect(totalOf(preview.immediateTransaction ?? undefined)).toBe(String(charge));
    expect(preview.updateSummary?.result).toMatchObject({ action: "charge", amount: String(charge) });
    expect((await transactionsOf(house, id)).length).toBe(1);
    const changed = await house.paddle.subscriptions.update(id, change);
    expect(changed).toMatchObject({ status: "active", nextBilledAt, items: [{ price: { id: PRICES.growth } }] });
    const [, update] = await transactionsOf(house, id);
    expect(update).toMatchObject({ origin: "subscription_update", status: "completed", billingPeriod: { endsAt } });
    expect(totalOf(update)).toBe(String(charge));
    await house.moveTo(32);
    expect(totalOf((await transactionsOf(house, id)).at(-1))).toBe("7900");
  });

  test("R-SRV-10 A-96 a downgrade now leaves credit for the next renewals; without billing it only changes the renewal", async () => {
    const [credited, unbilled] = [await subscribe(house, PRICES.growth), await subscribe(house, PRICES.growth)];
    const items = [{ priceId: PRICES.basic, quantity: 1 }];
    await house.paddle.subscriptions.update(credited.id, { items, prorationBillingMode: "prorated_immediately" });
    await house.paddle.subscriptions.update(unbilled.id, { items, prorationBillingMode: "do_not_bill" });
    const [, update] = await transactionsOf(house, credited.id);
    await house.paddle.subscriptions.update(credited.id, { items, prorationBillingMode: "prorated_immediately" });
    expect(await transactionsOf(house, credited.id)).toHaveLength(2);
    expect(update?.details?.totals).toMatchObject({ grandTotal: "0", credit: "2900", creditToBalance: "5000" });
    await house.moveTo(63);
    const [, , first, second] = await transactionsOf(house, credited.id);
    expect([first, second].map((one) => one?.details?.totals?.credit)).toEqual(["2900", "2100"]);
    expect(totalOf(second)).toBe("800");
    expect((await transactionsOf(house, unbilled.id)).map(totalOf)).toEqual(["7900", "2900", "2900"]);
  });

  test("R-SRV-10 what is put off to the next period is billed with the renewal", async () => {
    const { id } = await subscribe(house);
    await house.paddle.subscriptions.update(id, {
      items: [{ priceId: PRICES.growth, quantity: 1 }],
      prorationBillingMode: "prorated_next_billing_period",
    });
    expect((await transactionsOf(house, id)).length).toBe(1);
    await house.moveTo(32);
    expect((await transactionsOf(house, id)).map(totalOf)).toEqual(["2900", String(7900 + 7900 - 2900)]);
  });

  test("R-SRV-10 A-96 a declined upgrade changes nothing; told to, it is applied and past due", async () => {
    const { id } = await subscribe(house, PRICES.basic, CARDS.declinedLater);
    const change = toPrice(PRICES.growth, "full_immediately");
    await expect(house.paddle.subscriptions.update(id, change)).rejects.toMatchObject({
      code: "subscription_payment_declined",
    });
    expect(await house.paddle.subscriptions.get(id)).toMatchObject({ items: [{ price: { id: PRICES.basic } }] });
    expect((await transactionsOf(house, id)).length).toBe(1);
    const applied = await house.paddle.subscriptions.update(id, { ...change, onPaymentFailure: "apply_change" });
    expect(applied).toMatchObject({ status: "past_due", items: [{ price: { id: PRICES.growth } }] });
    await expect(house.paddle.subscriptions.update(id, change)).rejects.toMatchObject({
      code: "subscription_update_when_past_due",
    });
  });

  test("R-SRV-10 R-SUB-02 cancel at the end of the term, take it back, cancel again: access ends when the term does", async () => {
    const { id } = await subscribe(house);
    const planned = await house.paddle.subscriptions.cancel(id, { effectiveFrom: "next_billing_period" });
    expect(planned).toMatchObject({ status: "active", scheduledChange: { action: "cancel" } });
    expect(planned.scheduledChange?.effectiveAt).toBe(planned.currentBillingPeriod?.endsAt);
    await expect(house.paddle.subscriptions.cancel(id, {})).rejects.toMatchObject({
      code: "subscription_locked_pending_changes",
    });
    const kept = await house.paddle.subscriptions.update(id, { scheduledChange: null });
    expect(kept).toMatchObject({ status: "active", scheduledChange: null });
    await house.paddle.subscriptions.cancel(id, {});
    await house.moveTo(32);
    const ended = await house.paddle.subscriptions.get(id);
    expect(ended).toMatchObject({ status: "canceled", scheduledChange: null, nextBilledAt: null });
    expect(Date.parse(ended.canceledAt ?? "") - Date.parse(planned.scheduledChange?.effectiveAt ?? "")).toBeLessThan(
      1_000,
    );
    expect((await transactionsOf(house, id)).length).toBe(1);
    expect(house.typesOf(id)).toEqual([
      "subscription.created",
      "subscription.activated",
      "subscription.updated",
      "subscription.updated",
      "subscription.updated",
      "subscription.canceled",
    ]);
    await expect(house.paddle.subscriptions.cancel(id, {})).rejects.toMatchObject({
      code: "subscription_is_canceled_action_invalid",
    });
    await expect(house.paddle.subscriptions.update(id, { scheduledChange: null })).rejects.toMatchObject({
      code: "subscription_update_when_canceled",
    });
  });

  test("R-SRV-10 cancel at once, pause and resume", async () => {
    const [gone, resting] = [await subscribe(house), await subscribe(house)];
    const canceled = await house.paddle.subscriptions.cancel(gone.id, { effectiveFrom: "immediately" });
    expect(canceled).toMatchObject({ status: "canceled", currentBillingPeriod: null });
    await house.paddle.subscriptions.pause(resting.id, { effectiveFrom: "next_billing_period" });
    await house.moveTo(32);
    expect(await house.paddle.subscriptions.get(resting.id)).toMatchObject({ status: "paused", nextBilledAt: null });
    const resumed = await house.paddle.subscriptions.resume(resting.id, { effectiveFrom: "immediately" });
    expect(resumed).toMatchObject({ status: "active", pausedAt: null });
    expect((await transactionsOf(house, resting.id)).length).toBe(2);
    await house.settle();
    expect(house.typesOf(resting.id).slice(-3)).toEqual([
      "subscription.paused",
      "subscription.resumed",
      "subscription.updated",
    ]);
  });

  test("R-SRV-10 no change of items in the half hour before a renewal, nor without a word on proration", async () => {
    const { id } = await subscribe(house);
    const items = [{ priceId: PRICES.growth, quantity: 1 }];
    await expect(house.paddle.subscriptions.update(id, { items })).rejects.toMatchObject({
      code: "subscription_items_update_missing_proration_billing_mode",
    });
    const { nextBilledAt } = await house.paddle.subscriptions.get(id);
    await house.control("POST", "/clock", { offsetMs: Date.parse(nextBilledAt ?? "") - Date.now() - 20 * 60_000 });
    const late = house.paddle.subscriptions.update(id, { items, prorationBillingMode: "prorated_immediately" });
    await expect(late).rejects.toMatchObject({ code: "subscription_locked_renewal" });
  });
});
