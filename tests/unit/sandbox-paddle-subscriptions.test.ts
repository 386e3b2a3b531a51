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
    expect(preview.recurringTransactionDetails?.totals?.total).toBe("7900");
    expect((await transactionsOf(house, id)).length).toBe(1);
    const changed = await house.paddle.subscriptions.update(id, change);
    expect(changed).toMatchObject({ status: "active", nextBilledAt, items: [{ price: { id: PRICES.growth } }] });
    const [, update] = await transactionsOf(house, id);
    expect(update).toMatchObject({ origin: "subscription_update", status: "completed", billingPeriod: { endsAt } });
    expect(totalOf(update)).toBe(String(charge));
    await house.moveTo(32);
    expect(totalOf((await transactionsOf(house, id)).at(-1))).toBe("7900");
  });

  test("R-SRV-10 A-96 a downgrade without billing only changes the renewal", async () => {
    const { id } = await subscribe(house, PRICES.growth);
    await house.paddle.subscriptions.update(id, toPrice(PRICES.basic, "do_not_bill"));
    await house.moveTo(63);
    expect((await transactionsOf(house, id)).map(totalOf)).toEqual(["7900", "2900", "2900"]);
  });

  test("R-SRV-10 A-96 a declined upgrade changes nothing; what is past due cannot be changed", async () => {
    const { id } = await subscribe(house, PRICES.basic, CARDS.declinedLater);
    const change = toPrice(PRICES.growth, "prorated_immediately");
    await expect(house.paddle.subscriptions.update(id, change)).rejects.toMatchObject({
      code: "subscription_payment_declined",
    });
    expect(await house.paddle.subscriptions.get(id)).toMatchObject({ items: [{ price: { id: PRICES.basic } }] });
    expect((await transactionsOf(house, id)).length).toBe(1);
    await house.moveTo(32);
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

  test("R-SRV-10 cancel at once; a paused one is resumed with a new period that is paid", async () => {
    const gone = await subscribe(house);
    const canceled = await house.paddle.subscriptions.cancel(gone.id, { effectiveFrom: "immediately" });
    expect(canceled).toMatchObject({ status: "canceled", currentBillingPeriod: null });
    await house.control("PATCH", "/settings", { dunningEnd: "paused", dunningRetries: 0 });
    const { id } = await subscribe(house, PRICES.basic, CARDS.declinedLater);
    await house.moveTo(32);
    expect(await house.paddle.subscriptions.get(id)).toMatchObject({ status: "paused", nextBilledAt: null });
    await house.control("POST", `/subscriptions/${id}/payment-method`, { card: { number: CARDS.good } });
    const resumed = await house.paddle.subscriptions.resume(id, { effectiveFrom: "immediately" });
    expect(resumed).toMatchObject({ status: "active", pausedAt: null });
    expect(resumed.nextBilledAt).toBe(resumed.currentBillingPeriod?.endsAt);
    await expect(house.paddle.subscriptions.resume(id, { effectiveFrom: "immediately" })).rejects.toMatchObject({
      code: "subscription_is_not_paused",
    });
    await house.settle();
    expect(house.typesOf(id).slice(-3)).toEqual([
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
