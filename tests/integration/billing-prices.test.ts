import { describe, expect, test } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { receiveEvent } from "#lib/features/billing/webhooks.ts";
import { type ProviderEvent, priceOf, saleOf, webhookOf } from "#tests/support/billing.ts";
import { billingHarness } from "./billing-harness.ts";

const { harness, webhookCtx, buyer, deliver, credits, plan, paymentOf, termRow, month, reportsOf } = billingHarness();

const NEW_PRICE = `pri_${"9".repeat(26)}`;
/** The settings after the operator replaced growth's price. */
const replaced = (ctx: FullCtx): FullCtx => {
  const prices = { ...ctx.settings.prices, "plan:growth": [NEW_PRICE, priceOf("plan:growth")] };
  return { ...ctx, settings: { ...ctx.settings, prices } };
};
const deliverLater = async (...providerEvents: ProviderEvent[]) => {
  for (const one of providerEvents) await receiveEvent(replaced(webhookCtx()), webhookOf(one));
  expect((await applyEvent(replaced(webhookCtx()), { eventId: "" })).failed).toBe(0);
};

describe("R-PAY-01 a replaced price", () => {
  test("still grants its plan to existing subscribers and is no longer sold", async () => {
    const who = await buyer();
    const { id, paid, term } = month(who, "plan:growth");
    await deliverLater(term, paid);
    expect([await plan(who), await credits(who)]).toEqual(["growth", [1000, 0]]);
    expect([(await termRow(id))?.plan, await reportsOf(paid)]).toEqual(["growth", 0]);
    const other = await buyer();
    const { priceId } = await startCheckout(replaced(other.ctx), { kind: "plan", plan: "growth" });
    expect(priceId).toBe(NEW_PRICE);
  });

  test("a granted payment stays the same after its price leaves the table", async () => {
    const who = await buyer();
    const { id, paid, term, period } = month(who, "plan:growth");
    await deliver(term, paid);
    const at = addMs(harness().now(), -DAY_MS);
    const revised = saleOf(who, {
      id: String(paid.data.id),
      items: [["none of ours", 1]],
      at,
      subscriptionId: id,
      period,
      totalMinor: 4900,
    });
    await deliver(revised, revised);
    expect([await plan(who), await credits(who)]).toEqual(["growth", [1000, 0]]);
    expect(await paymentOf(paid)).toMatchObject({ kind: "plan", plan: "growth", asOf: at, heldReason: null });
  });
});
