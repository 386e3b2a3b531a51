import { describe, expect, test } from "vitest";
import {
  detailsWire,
  eventWire,
  priceWire,
  productWire,
  subscriptionWire,
  transactionWire,
  WIRE_IDS,
} from "#tests/support/payments.ts";
import { refusal, scriptedPaddle } from "#tests/support/scripted-paddle.ts";

const { transaction, subscription, customer, price } = WIRE_IDS;
const ending = { action: "cancel", effective_at: "2026-12-01T10:18:47Z", resume_at: null };

describe("calls to the payment provider", () => {
  test("reads a transaction with our key and converts it", async () => {
    const { client, seen } = await scriptedPaddle({ data: transactionWire() });
    const answer = await client.getTransaction(transaction);
    expect(seen).toMatchObject([
      { method: "GET", path: `/transactions/${transaction}`, authorization: "bearer pdl_test_key" },
    ]);
    expect(answer).toMatchObject({
      kind: "ok",
      value: { status: "completed", customData: { userId: "usr_1" }, totalMinor: 2900, method: "Visa ending in 4242" },
    });
  });

  test("cancels at the period's end or immediately, and keep undoes it", async () => {
    const { client, seen } = await scriptedPaddle(
      { data: subscriptionWire({ scheduled_change: ending }) },
      { data: subscriptionWire({ status: "canceled", canceled_at: "2026-11-02T10:00:00Z" }) },
      { data: subscriptionWire() },
    );
    expect(await client.cancelSubscription(subscription, "period_end")).toMatchObject({
      value: { scheduledChange: { action: "cancel" } },
    });
    expect(await client.cancelSubscription(subscription, "now")).toMatchObject({ value: { status: "canceled" } });
    expect(await client.keepSubscription(subscription)).toMatchObject({ value: { scheduledChange: null } });
    expect(seen.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      {
        method: "POST",
        path: `/subscriptions/${subscription}/cancel`,
        body: { effective_from: "next_billing_period" },
      },
      { method: "POST", path: `/subscriptions/${subscription}/cancel`, body: { effective_from: "immediately" } },
      { method: "PATCH", path: `/subscriptions/${subscription}`, body: { scheduled_change: null } },
    ]);
  });

  test("A-20 canceling what has ended or is ending is not a problem", async () => {
    const refused = refusal(400, "subscription_locked_pending_changes");
    const { client } = await scriptedPaddle(
      refused,
      { data: subscriptionWire({ scheduled_change: ending }) },
      refusal(400, "subscription_is_canceled_action_invalid"),
      { data: subscriptionWire({ status: "canceled" }) },
      refused,
      { data: subscriptionWire() },
      refused,
      { data: subscriptionWire({ scheduled_change: ending }) },
    );
    expect(await client.cancelSubscription(subscription, "period_end")).toMatchObject({ kind: "ok" });
    expect(await client.cancelSubscription(subscription, "now")).toMatchObject({ value: { status: "canceled" } });
    const stillActive = await client.cancelSubscription(subscription, "period_end");
    expect(stillActive).toMatchObject({ problem: { kind: "refused", code: "subscription_locked_pending_changes" } });
    expect(await client.cancelSubscription(subscription, "now")).toMatchObject({ problem: { kind: "refused" } });
  });

  test("keeping what has ended is refused", async () => {
    const { client } = await scriptedPaddle(refusal(400, "subscription_update_when_canceled"), {
      data: subscriptionWire({ status: "canceled" }),
    });
    expect(await client.keepSubscription(subscription)).toMatchObject({
      problem: { kind: "refused", text: "Your subscription has ended. Choose a new plan on the pricing page." },
    });
  });

  test("A-99 resumes a paused subscription immediately; one that is not paused is not a problem", async () => {
    const { client, seen } = await scriptedPaddle(
      { data: subscriptionWire() },
      refusal(400, "subscription_is_not_paused"),
      { data: subscriptionWire() },
      refusal(400, "subscription_is_canceled_action_invalid"),
      { data: subscriptionWire({ status: "canceled" }) },
    );
    expect(await client.restartSubscription(subscription)).toMatchObject({ value: { status: "active" } });
    expect(await client.restartSubscription(subscription)).toMatchObject({ value: { status: "active" } });
    expect(await client.restartSubscription(subscription)).toMatchObject({ problem: { kind: "refused" } });
    expect(seen[0]).toMatchObject({
      method: "POST",
      path: `/subscriptions/${subscription}/resume`,
      body: { effective_from: "immediately" },
    });
  });

  test("A-96 a price change is prorated now or free until the renewal", async () => {
    const { client, seen } = await scriptedPaddle({ data: subscriptionWire() }, { data: subscriptionWire() });
    await client.changePrice(subscription, price, "prorate");
    await client.changePrice(subscription, price, "free");
    const items = [{ price_id: price, quantity: 1 }];
    expect(seen.map(({ body }) => body)).toEqual([
      { items, proration_billing_mode: "prorated_immediately", on_payment_failure: "prevent_change" },
      { items, proration_billing_mode: "do_not_bill", on_payment_failure: "prevent_change" },
    ]);
  });

  test("A-96 the preview returns what is due now and what renewals cost", async () => {
    const next = { billing_period: { starts_at: "2026-12-01T00:00:00Z", ends_at: "2027-01-01T00:00:00Z" } };
    const data = subscriptionWire({
      immediate_transaction: { ...next, details: detailsWire("1450"), adjustments: [] },
      next_transaction: { ...next, details: detailsWire("7900"), adjustments: [] },
      recurring_transaction_details: detailsWire("7900"),
      update_summary: null,
    });
    const { client, seen } = await scriptedPaddle({ data }, { data: { ...data, immediate_transaction: null } });
    expect(await client.previewPrice(subscription, price, "prorate")).toEqual({
      kind: "ok",
      value: {
        currency: "USD",
        dueNowMinor: 1450,
        nextTotalMinor: 7900,
        nextBilledAt: new Date("2026-12-01T10:18:47.635Z"),
      },
    });
    expect(await client.previewPrice(subscription, price, "free")).toMatchObject({ value: { dueNowMinor: 0 } });
    expect(seen[0]).toMatchObject({ method: "PATCH", path: `/subscriptions/${subscription}/preview` });
  });

  test("returns URLs of invoices and the portal, and only web URLs", async () => {
    const urls = (address: string) => ({
      id: "cpls_1",
      customer_id: customer,
      created_at: "2026-11-01T10:00:00Z",
      urls: {
        general: { overview: "https://portal.example/over" },
        subscriptions: [
          { id: subscription, cancel_subscription: address, update_subscription_payment_method: address },
        ],
      },
    });
    const { client, seen } = await scriptedPaddle(
      { data: { url: "https://invoices.example/1.pdf" } },
      { data: { url: "javascript:alert(1)" } },
      { data: urls("https://portal.example/card") },
      { data: { ...urls(""), urls: { general: { overview: "https://portal.example/over" }, subscriptions: [] } } },
      { data: { ...transactionWire(), checkout: { url: "https://seller.example/?_ptxn=1" } } },
    );
    expect(await client.invoiceUrl(transaction)).toEqual({ kind: "ok", value: "https://invoices.example/1.pdf" });
    expect(await client.invoiceUrl(transaction)).toMatchObject({ problem: { kind: "unavailable" } });
    expect(await client.portalUrl(customer, subscription)).toEqual({
      kind: "ok",
      value: "https://portal.example/card",
    });
    expect(await client.portalUrl(customer, subscription)).toMatchObject({ value: "https://portal.example/over" });
    expect(seen[2]).toMatchObject({
      method: "POST",
      path: `/customers/${customer}/portal-sessions`,
      body: { subscription_ids: [subscription] },
    });
    expect(await client.paymentMethodUrl(subscription)).toMatchObject({ value: "https://seller.example/?_ptxn=1" });
    expect(seen[4]?.path).toBe(`/subscriptions/${subscription}/update-payment-method-transaction`);
  });

  test("lists events after a known one, oldest first, including unknown kinds", async () => {
    const { client, seen } = await scriptedPaddle(
      {
        data: [
          eventWire("transaction.completed", transactionWire()),
          eventWire("subscription.created", { ...subscriptionWire(), transaction_id: transaction }),
          eventWire("balloon.launched", { id: "bal_1" }),
        ],
      },
      { data: [] },
    );
    const answer = await client.listEvents(WIRE_IDS.event);
    const events = answer.kind === "ok" ? answer.value : [];
    expect(events.map(({ fact, unreadable }) => [fact?.kind ?? null, unreadable])).toEqual([
      ["transaction", null],
      ["subscription", null],
      [null, null],
    ]);
    expect(await client.listEvents(null)).toEqual({ kind: "ok", value: [] });
    expect(seen.map(({ query }) => query)).toEqual([
      { per_page: "200", order_by: "id[ASC]", after: WIRE_IDS.event },
      { per_page: "200", order_by: "id[ASC]" },
    ]);
  });

  test("R-PAY-01 reads the catalog to its last page and creates products and prices", async () => {
    const { client, seen } = await scriptedPaddle(
      {
        json: {
          data: [priceWire()],
          meta: { request_id: "r", pagination: { per_page: 1, next: "/prices?after=x", has_more: true } },
        },
      },
      {
        data: [
          priceWire({ custom_data: null, billing_cycle: { interval: "month", frequency: 3 }, status: "archived" }),
        ],
      },
      { data: productWire({ custom_data: { key: "pack:100" } }) },
      { data: priceWire() },
    );
    expect(await client.listPrices()).toMatchObject({
      value: [
        { key: "plan:basic", amountMinor: 2900, interval: "month", isActive: true, currency: "USD" },
        { key: null, interval: "3 month", isActive: false },
      ],
    });
    await client.createProduct({ key: "pack:100", name: "100 credits", description: "Credits" });
    await client.createPrice({
      key: "pack:free:100",
      productId: WIRE_IDS.product,
      name: "100 credits",
      description: "At the price of the free plan",
      amountMinor: 700,
      interval: null,
      maxQuantity: 10,
    });
    expect(seen.slice(2).map(({ path, body }) => ({ path, body }))).toEqual([
      {
        path: "/products",
        body: {
          name: "100 credits",
          description: "Credits",
          tax_category: "standard",
          custom_data: { key: "pack:100" },
        },
      },
      {
        path: "/prices",
        body: {
          product_id: WIRE_IDS.product,
          name: "100 credits",
          description: "At the price of the free plan",
          unit_price: { amount: "700", currency_code: "USD" },
          billing_cycle: null,
          quantity: { minimum: 1, maximum: 10 },
          custom_data: { key: "pack:free:100" },
        },
      },
    ]);
  });
});
