import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { purchases } from "#db/schema/billing.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { purgeCheckouts } from "#lib/features/billing/checkout.ts";
import { type Buyer, providerId, saleOf } from "#tests/support/billing.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, database, webhookCtx, buyer, record, deliver, credits, paymentOf } = billingHarness();

const nightly = () => purgeCheckouts(webhookCtx());
/** A pack purchase with this status; an incomplete transaction has no payment attempt. */
const pack = (who: Buyer, status: string, hints?: Record<string, unknown> | null) => {
  const at = addMs(harness().now(), -HOUR_MS);
  const providerEvent = saleOf(who, {
    items: [["pack:free:100", 1]],
    at,
    status,
    ...(hints !== undefined && { hints }),
  });
  return status === "completed" ? providerEvent : { ...providerEvent, data: { ...providerEvent.data, payments: [] } };
};
const purchasesOf = async (who: Buyer) =>
  (await database().db.select().from(purchases).where(eq(purchases.userId, who.userId))).map(({ id }) => id);

test("deletes unpaid checkouts with and without a user; keeps those paid, tried or in progress", async () => {
  const who = await buyer();
  const [forgotten, used, fresh] = [
    await record(who, { kind: "pack", plan: "free" }),
    await record(who, { kind: "pack", plan: "free" }),
    await record(who, { kind: "pack", plan: "free", at: addMs(harness().now(), 2 * DAY_MS) }),
  ];
  const stranger = { ...who, customerId: providerId("ctm") };
  const left = [pack(who, "ready"), pack(who, "draft"), pack(who, "canceled"), pack(stranger, "ready", null)];
  const kept = [pack(who, "completed", { purchase_ref: used }), pack(who, "billed"), pack(who, "past_due")];
  for (const one of [...left, ...kept]) await deliver(one);

  expect(await nightly()).toBe(0);
  await harness().later(RETENTION_MS.checkout + DAY_MS, async () => {
    expect(await nightly()).toBe(left.length + 1);
    expect(await nightly()).toBe(0);
    expect(await Promise.all(left.map(paymentOf))).toEqual(left.map(() => undefined));
    expect((await Promise.all(kept.map(paymentOf))).map((row) => row?.status)).toEqual([
      "completed",
      "billed",
      "past_due",
    ]);
    expect((await purchasesOf(who)).toSorted()).toEqual([used, fresh].toSorted());
    expect(await purchasesOf(who)).not.toContain(forgotten);
  });
});

test("R-PAY-03 a checkout paid after its deletion is still granted", async () => {
  const who = await buyer();
  const reference = await record(who, { kind: "pack", plan: "free" });
  const opened = pack(who, "ready", { purchase_ref: reference, user_id: who.userId });
  await deliver(opened);
  await harness().later(RETENTION_MS.checkout + DAY_MS, nightly);
  expect([await purchasesOf(who), await paymentOf(opened)]).toEqual([[], undefined]);
  const paid = saleOf(who, {
    id: String(opened.data.id),
    items: [["pack:free:100", 1]],
    at: harness().now(),
    hints: { purchase_ref: reference, user_id: who.userId },
  });
  await deliver(paid);
  expect((await credits(who))[1]).toBe(100);
});
