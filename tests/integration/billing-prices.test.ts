import { describe, expect, test } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { receiveEvent } from "#lib/features/billing/webhooks.ts";
import { type News, priceOf, saleOf, webhookOf } from "#tests/support/billing.ts";
import { billingHouse } from "./billing-house.ts";

const { house, door, buyer, tell, credits, plan, paymentOf, termRow, month, reportsOf } = billingHouse();

const NEW_PRICE = `pri_${"9".repeat(26)}`;
/** The settings after the operator put another price in the place of growth's. */
const replaced = (ctx: FullCtx): FullCtx => {
  const prices = { ...ctx.settings.prices, "plan:growth": [NEW_PRICE, priceOf("plan:growth")] };
  return { ...ctx, settings: { ...ctx.settings, prices } };
};
const tellLater = async (...news: News[]) => {
  for (const one of news) await receiveEvent(replaced(door()), webhookOf(one));
  expect((await applyEvent(replaced(door()), { eventId: "" })).failed).toBe(0);
};

describe("R-PAY-01 a price that is replaced", () => {
  test("goes on giving its plan to whoever subscribed at it, and is sold no more", async () => {
    const who = await buyer();
    const { id, paid, term } = month(who, "plan:growth");
    await tellLater(term, paid);
    expect([await plan(who), await credits(who)]).toEqual(["growth", [1000, 0]]);
    expect([(await termRow(id))?.plan, await reportsOf(paid)]).toEqual(["growth", 0]);
    const other = await buyer();
    const { priceId } = await startCheckout(replaced(other.ctx), { kind: "plan", plan: "growth" });
    expect(priceId).toBe(NEW_PRICE);
  });

  test("a payment that was given stays what it was, though its price has left the table", async () => {
    const who = await buyer();
    const { id, paid, term, period } = month(who, "plan:growth");
    await tell(term, paid);
    const at = addMs(house().now(), -DAY_MS);
    const revised = saleOf(who, {
      id: String(paid.data.id),
      items: [["none of ours", 1]],
      at,
      subscriptionId: id,
      period,
      totalMinor: 4900,
    });
    await tell(revised, revised);
    expect([await plan(who), await credits(who)]).toEqual(["growth", [1000, 0]]);
    expect(await paymentOf(paid)).toMatchObject({ kind: "plan", plan: "growth", asOf: at, heldReason: null });
  });
});
