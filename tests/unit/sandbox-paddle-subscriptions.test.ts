import type { ProrationBillingMode } from "@paddle/paddle-node-sdk";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CARDS,
  DAY_MS,
  type Harness,
  PRICES,
  startHarness,
  subscribe,
  totalOf,
  transactionsOf,
} from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.close());

/** A change to one item of another price. */
function toPrice(priceId: string, prorationBillingMode: ProrationBillingMode) {
  return { items: [{ priceId, quantity: 1 }], prorationBillingMode };
}

describe("changes", () => {
  test("R-SRV-10 A-96 an upgrade is billed for the remaining days, minus what was paid for them", async () => {
    const { id } = await subscribe(harness);
    await harness.moveTo(10);
    const { currentBillingPeriod, nextBilledAt } = await harness.paddle.subscriptions.get(id);
    const { startsAt = "", endsAt = "" } = currentBillingPeriod ?? {};
    const days = Math.round((Date.parse(endsAt) - Date.parse(startsAt)) / DAY_MS);
    const left = days - 10;
    const change = toPrice(PRICES.growth, "prorated_immediately");
    const charge = Math.round((7900 * left) / days) - Math.round((2900 * left) / days);
    const preview = await harness.paddle.subscriptions.previewUpdate(id, change);
    expect(totalOf(preview.immediateTransaction ?? undefined)).toBe(String(charge));
    expect(preview.recurringTransactionDetails?.totals?.total).toBe("7900");
    expect((await transactionsOf(harness, id)).length).toBe(1);
    const changed = await harness.paddle.subscriptions.update(id, change);
    expect(changed).toMatchObject({ status: "active", nextBilledAt, items: [{ price: { id: PRICES.growth } }] });
    const [, update] = await transactionsOf(harness, id);
    expect(update).toMatchObject({ origin: "subscription_update", status: "completed", billingPeriod: { endsAt } });
    expect(totalOf(update)).toBe(String(charge));
    await harness.moveTo(32);
    expect(totalOf((await transactionsOf(harness, id)).at(-1))).toBe("7900");
  });

  test("R-SRV-10 A-96 a downgrade without billing only changes the renewal", async () => {
    const { id } = await subscribe(harness, PRICES.growth);
    await harness.paddle.subscriptions.update(id, toPrice(PRICES.basic, "do_not_bill"));
    await harness.moveTo(63);
    expect((await transactionsOf(harness, id)).map(totalOf)).toEqual(["7900", "2900", "2900"]);
  });

  test("R-SRV-10 A-96 a declined upgrade changes nothing; a past due subscription cannot be changed", async () => {
    const { id } = await subscribe(harness, PRICES.basic, CARDS.declinedLater);
    const change = toPrice(PRICES.growth, "prorated_immediately");
    await expect(harness.paddle.subscriptions.update(id, change)).rejects.toMatchObject({
      code: "subscription_payment_declined",
    });
    expect(await harness.paddle.subscriptions.get(id)).toMatchObject({ items: [{ price: { id: PRICES.basic } }] });
    expect((await transactionsOf(harness, id)).length).toBe(1);
    await harness.moveTo(32);
    await expect(harness.paddle.subscriptions.update(id, change)).rejects.toMatchObject({
      code: "subscription_update_when_past_due",
    });
  });

  test("R-SRV-10 R-SUB-02 cancel at the end of the term, undo, cancel again: access ends with the term", async () => {
    const { id } = await subscribe(harness);
    const scheduled = await harness.paddle.subscriptions.cancel(id, { effectiveFrom: "next_billing_period" });
    expect(scheduled).toMatchObject({ status: "active", scheduledChange: { action: "cancel" } });
    expect(scheduled.scheduledChange?.effectiveAt).toBe(scheduled.currentBillingPeriod?.endsAt);
    await expect(harness.paddle.subscriptions.cancel(id, {})).rejects.toMatchObject({
      code: "subscription_locked_pending_changes",
    });
    const kept = await harness.paddle.subscriptions.update(id, { scheduledChange: null });
    expect(kept).toMatchObject({ status: "active", scheduledChange: null });
    await harness.paddle.subscriptions.cancel(id, {});
    await harness.moveTo(32);
    const ended = await harness.paddle.subscriptions.get(id);
    expect(ended).toMatchObject({ status: "canceled", scheduledChange: null, nextBilledAt: null });
    expect(Date.parse(ended.canceledAt ?? "") - Date.parse(scheduled.scheduledChange?.effectiveAt ?? "")).toBeLessThan(
      1_000,
    );
    expect((await transactionsOf(harness, id)).length).toBe(1);
    expect(harness.typesOf(id)).toEqual([
      "subscription.created",
      "subscription.activated",
      "subscription.updated",
      "subscription.updated",
      "subscription.updated",
      "subscription.canceled",
    ]);
    await expect(harness.paddle.subscriptions.cancel(id, {})).rejects.toMatchObject({
      code: "subscription_is_canceled_action_invalid",
    });
    await expect(harness.paddle.subscriptions.update(id, { scheduledChange: null })).rejects.toMatchObject({
      code: "subscription_update_when_canceled",
    });
  });

  test("R-SRV-10 immediate cancellation; a paused subscription resumes with a new, paid period", async () => {
    const ended = await subscribe(harness);
    const canceled = await harness.paddle.subscriptions.cancel(ended.id, { effectiveFrom: "immediately" });
    expect(canceled).toMatchObject({ status: "canceled", currentBillingPeriod: null });
    await harness.control("PATCH", "/settings", { dunningEnd: "paused", dunningRetries: 0 });
    const { id } = await subscribe(harness, PRICES.basic, CARDS.declinedLater);
    await harness.moveTo(32);
    expect(await harness.paddle.subscriptions.get(id)).toMatchObject({ status: "paused", nextBilledAt: null });
    await harness.control("POST", `/subscriptions/${id}/payment-method`, { card: { number: CARDS.good } });
    const resumed = await harness.paddle.subscriptions.resume(id, { effectiveFrom: "immediately" });
    expect(resumed).toMatchObject({ status: "active", pausedAt: null });
    expect(resumed.nextBilledAt).toBe(resumed.currentBillingPeriod?.endsAt);
    await expect(harness.paddle.subscriptions.resume(id, { effectiveFrom: "immediately" })).rejects.toMatchObject({
      code: "subscription_is_not_paused",
    });
    await harness.settle();
    expect(harness.typesOf(id).slice(-3)).toEqual([
      "subscription.paused",
      "subscription.resumed",
      "subscription.updated",
    ]);
  });

  test("R-SRV-10 items cannot be changed in the half hour before a renewal, or without a proration mode", async () => {
    const { id } = await subscribe(harness);
    const items = [{ priceId: PRICES.growth, quantity: 1 }];
    await expect(harness.paddle.subscriptions.update(id, { items })).rejects.toMatchObject({
      code: "subscription_items_update_missing_proration_billing_mode",
    });
    const { nextBilledAt } = await harness.paddle.subscriptions.get(id);
    await harness.control("POST", "/clock", { offsetMs: Date.parse(nextBilledAt ?? "") - Date.now() - 20 * 60_000 });
    const late = harness.paddle.subscriptions.update(id, { items, prorationBillingMode: "prorated_immediately" });
    await expect(late).rejects.toMatchObject({ code: "subscription_locked_renewal" });
  });
});
