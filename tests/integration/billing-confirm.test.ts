import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import { toAppError } from "#lib/core/errors.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { confirmPurchase, confirmSubscription } from "#lib/features/billing/checkout.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { purchaseConfirmation, subscriptionConfirmation } from "#lib/features/billing/schema.ts";
import { toPurchaseWire, toSubscriptionWire } from "#lib/features/billing/serializers.ts";
import { collectEvents } from "#lib/features/billing/webhooks.ts";
import { providerId, saleOf } from "#tests/support/billing.ts";
import { startTestPaddle, type TestPaddle } from "#tests/support/paddle.ts";
import { billingHarness } from "./billing-harness.ts";

let paddle: TestPaddle;
beforeAll(async () => {
  paddle = await startTestPaddle();
});
afterAll(() => paddle.close());
beforeEach(() => paddle.clearFaults());

const { harness, buyer, deliver, credits, plan, paymentOf, reportsOf } = billingHarness({
  paddleUrl: () => paddle.url,
});

const codeOf = async (confirming: Promise<unknown>): Promise<string> =>
  confirming.then(
    () => "ok",
    (error: unknown) => toAppError(error).code,
  );

/** The browser's call, with its body as sent over the wire. */
const purchase = async (ctx: FullCtx, body: Record<string, unknown>) =>
  toPurchaseWire(await confirmPurchase(ctx, purchaseConfirmation.parse(body)));
const subscription = async (ctx: FullCtx, body: Record<string, unknown>) => {
  const { view, confirmation } = await confirmSubscription(ctx, subscriptionConfirmation.parse(body));
  return toSubscriptionWire(view, confirmation);
};

describe("POST /api/users/credits/purchase/ (R-API-22, R-BUY-19)", () => {
  test("R-API-22: credits are granted once the provider reports completed, and repeating returns the same", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:free:500");
    const expected = { success: true, status: "completed", credits: 500, available_credits: 505 };
    const message = "Successfully purchased 500 credits!";
    expect(await purchase(who.ctx, { transactionId: id })).toEqual({ ...expected, message });
    // Already known, so the provider is not needed.
    await paddle.addFault({ scenario: "unavailable" });
    expect(await purchase(who.ctx, { transactionId: id })).toEqual({ ...expected, message });
  });

  test("R-PAY-03 A-58: other credits, amounts, users and prices in the body change nothing", async () => {
    const [who, other] = [await buyer(), await buyer()];
    const { id } = await paddle.buy(who, "pack:free:100");
    const forged = { credits: 3000, amount: 99_999, userId: other.userId, user_id: other.userId, price_id: "pri_x" };
    expect(await purchase(who.ctx, { transactionId: id, ...forged })).toMatchObject({ credits: 100 });
    expect([await credits(who), await credits(other)]).toEqual([
      [5, 100],
      [5, 0],
    ]);
  });

  test("R-PAY-03: another user's, an unknown and an invented transaction are all 404", async () => {
    const [who, other] = [await buyer(), await buyer()];
    const { id } = await paddle.buy(who, "pack:free:100");
    expect(await codeOf(purchase(other.ctx, { transactionId: id }))).toBe("not_found");
    await purchase(who.ctx, { transactionId: id });
    for (const transactionId of [id, providerId("txn"), "txn_1", "../../customers", "sub_1?x=1"]) {
      expect(await codeOf(purchase(other.ctx, { transactionId }))).toBe("not_found");
    }
    expect(await credits(other)).toEqual([5, 0]);
  });

  test("one transaction confirmed 50 times at once by its buyer and another user grants once, to the buyer", async () => {
    const [who, other] = [await buyer(), await buyer()];
    const { id } = await paddle.buy(who, "pack:free:300");
    const calls = Array.from({ length: 50 }, (_, n) =>
      codeOf(purchase(n % 5 === 4 ? other.ctx : who.ctx, { transactionId: id })),
    );
    const answers = await Promise.all(calls);
    expect(answers.filter((code) => code === "ok")).toHaveLength(40);
    expect(answers.filter((code) => code === "not_found")).toHaveLength(10);
    expect([await credits(who), await credits(other)]).toEqual([
      [5, 300],
      [5, 0],
    ]);
  });

  test("R-API-22: paid but not completed is pending and grants nothing yet; unpaid is 409", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:free:100");
    await paddle.addFault({ scenario: "stays-paid" });
    const pending = { success: false, status: "pending", available_credits: 5 };
    expect(await purchase(who.ctx, { transactionId: id })).toMatchObject(pending);
    await paddle.clearFaults();
    expect(await purchase(who.ctx, { transactionId: id })).toMatchObject({ success: true, available_credits: 105 });
    const open = await paddle.buy(who, "pack:free:100", { card: null });
    expect(await codeOf(purchase(who.ctx, { transactionId: open.id }))).toBe("wrong_state");
  });

  test("a price this user is not entitled to is held, reported and explained", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:pro:1000");
    const confirming = purchase(who.ctx, { transactionId: id });
    await expect(confirming).rejects.toMatchObject({
      code: "wrong_state",
      message: expect.stringContaining("support team has been notified"),
    });
    const providerEvent = { type: "", at: harness().now(), data: { id } };
    expect((await paymentOf(providerEvent))?.heldReason).toBe("foreign_price");
    expect(await reportsOf(providerEvent)).toBe(1);
    expect(await credits(who)).toEqual([5, 0]);
  });

  test("confirming a plan payment as credits is 409 but still grants its plan", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "plan:basic");
    expect(await codeOf(purchase(who.ctx, { transactionId: id }))).toBe("wrong_state");
    expect(await plan(who)).toBe("basic");
  });

  test("a slow or failing provider is reported, nothing is granted, and the next attempt grants it", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "pack:free:100");
    for (const scenario of ["rate-limited", "server-error", "cut", "malformed"]) {
      await paddle.addFault({ scenario });
      expect(await codeOf(purchase(who.ctx, { transactionId: id })), scenario).toMatch(/^provider_/);
      await paddle.clearFaults();
    }
    expect(await credits(who)).toEqual([5, 0]);
    expect(await purchase(who.ctx, { transactionId: id })).toMatchObject({ success: true });
  });

  test("R-PAY-03: without the confirmation call, the collected events grant the same", async () => {
    const who = await buyer();
    await paddle.buy(who, "pack:free:100");
    await harness().later(5 * MINUTE_MS, async () => {
      await collectEvents(who.ctx);
      await applyEvent(who.ctx, { eventId: "" });
    });
    expect(await credits(who)).toEqual([5, 100]);
  });

  test("a confirmation that races its webhooks grants once", async () => {
    const who = await buyer();
    const { id, customer_id } = await paddle.buy(who, "pack:free:300");
    const providerEvent = saleOf(
      { ...who, customerId: customer_id },
      { id, items: [["pack:free:300", 1]], at: harness().now() },
    );
    const racing = [0, 1, 2, 3].flatMap(() => [
      purchase(who.ctx, { transactionId: id }).then(() => undefined),
      deliver(providerEvent),
    ]);
    await Promise.all(racing);
    expect(await credits(who)).toEqual([5, 300]);
  });
});

describe("POST /api/users/subscription/confirm/ (R-API-18, R-PRICE-13)", () => {
  test("R-API-18 R-ENT-16: returns the subscription with the paid plan, whatever else the body says", async () => {
    const who = await buyer();
    const { id, subscription_id } = await paddle.buy(who, "plan:basic");
    const body = {
      transactionId: id,
      plan: "pro",
      price: 1,
      subscriptionId: "sub_x",
      customerId: null,
      cancelUrl: "x",
    };
    const wire = await subscription(who.ctx, body);
    expect(wire).toMatchObject({
      status: "active",
      auto_renew: true,
      confirmation: "completed",
      plan: { slug: "basic" },
    });
    expect(wire.end_date).not.toBeNull();
    expect(subscription_id).toMatch(/^sub_/);
    expect(await credits(who)).toEqual([400, 0]);
  });

  test("is pending while the provider processes it; the plan comes with its completion", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "plan:growth");
    await paddle.addFault({ scenario: "stays-paid" });
    expect(await subscription(who.ctx, { transactionId: id })).toMatchObject({
      confirmation: "pending",
      plan: { slug: "free" },
    });
    await paddle.clearFaults();
    expect(await subscription(who.ctx, { transactionId: id })).toMatchObject({
      confirmation: "completed",
      plan: { slug: "growth" },
    });
  });

  test("grants the plan when the payment can be read but its subscription cannot", async () => {
    const who = await buyer();
    const { id } = await paddle.buy(who, "plan:basic");
    await paddle.addFault({ match: "GET /subscriptions/:id", scenario: "unavailable" });
    expect(await subscription(who.ctx, { transactionId: id })).toMatchObject({
      confirmation: "completed",
      plan: { slug: "basic" },
    });
  });

  test("another user's payment is 404, a pack's payment 409", async () => {
    const [who, other] = [await buyer(), await buyer()];
    const { id } = await paddle.buy(who, "plan:basic");
    expect(await codeOf(subscription(other.ctx, { transactionId: id }))).toBe("not_found");
    const pack = await paddle.buy(who, "pack:free:100");
    expect(await codeOf(subscription(who.ctx, { transactionId: pack.id }))).toBe("wrong_state");
    expect((await credits(who))[1]).toBe(100);
  });
});
