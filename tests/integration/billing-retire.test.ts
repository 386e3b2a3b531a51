import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { purchases } from "#db/schema/billing.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { retireCheckouts } from "#lib/features/billing/checkout.ts";
import { type Buyer, providerId, saleOf } from "#tests/support/billing.ts";
import { billingHouse } from "./billing-house.ts";

const { house, database, door, buyer, record, tell, credits, paymentOf } = billingHouse();

const nightly = () => retireCheckouts(door());
/** A pack on its way; what is not completed was not tried either. */
const pack = (who: Buyer, status: string, hints?: Record<string, unknown> | null) => {
  const at = addMs(house().now(), -HOUR_MS);
  const news = saleOf(who, { items: [["pack:free:100", 1]], at, status, ...(hints !== undefined && { hints }) });
  return status === "completed" ? news : { ...news, data: { ...news.data, payments: [] } };
};
const purchasesOf = async (who: Buyer) =>
  (await database().db.select().from(purchases).where(eq(purchases.userId, who.userId))).map(({ id }) => id);

test("DESIGN §5.6 checkouts that nobody paid go, anybody's and nobody's; what was paid, tried or is under way stays", async () => {
  const who = await buyer();
  const [forgotten, used, fresh] = [
    await record(who, { kind: "pack", plan: "free" }),
    await record(who, { kind: "pack", plan: "free" }),
    await record(who, { kind: "pack", plan: "free", at: addMs(house().now(), 2 * DAY_MS) }),
  ];
  const stranger = { ...who, customerId: providerId("ctm") };
  const left = [pack(who, "ready"), pack(who, "draft"), pack(who, "canceled"), pack(stranger, "ready", null)];
  const kept = [pack(who, "completed", { purchase_ref: used }), pack(who, "billed"), pack(who, "past_due")];
  for (const one of [...left, ...kept]) await tell(one);

  expect(await nightly()).toBe(0);
  await house().later(RETENTION_MS.checkout + DAY_MS, async () => {
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

test("R-PAY-03 one that is paid after it was deleted is given all the same", async () => {
  const who = await buyer();
  const reference = await record(who, { kind: "pack", plan: "free" });
  const opened = pack(who, "ready", { purchase_ref: reference, user_id: who.userId });
  await tell(opened);
  await house().later(RETENTION_MS.checkout + DAY_MS, nightly);
  expect([await purchasesOf(who), await paymentOf(opened)]).toEqual([[], undefined]);
  const paid = saleOf(who, {
    id: String(opened.data.id),
    items: [["pack:free:100", 1]],
    at: house().now(),
    hints: { purchase_ref: reference, user_id: who.userId },
  });
  await tell(paid);
  expect((await credits(who))[1]).toBe(100);
});
