import type { CheckoutOpenOptions, PaddleEventData } from "@paddle/paddle-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CheckoutListener } from "#components/billing/load-checkout.ts";
import { type CheckoutOutcome, openCheckout, readCompletion } from "#components/billing/open-checkout.ts";

const ORDER = {
  purchase_ref: "pur_1",
  price_id: "pri_1",
  customer_email: "fern@example.com",
  custom_data: { credits: 500, plan_type: "growth", user_id: "usr_1", purchase_ref: "pur_1" },
};

const DATA = {
  transaction_id: "txn_1",
  product_id: "pro_1",
  currency_code: "USD",
  custom_data: { credits: 500, plan_type: "growth" },
  customer: { id: "ctm_1", email: "fern@example.com" },
  totals: { subtotal: 22.5, discount: 0, tax: 0, total: 22.5 },
};

/** An event as the provider's script sends it; its names are an enum that only the types contain. */
const event = (name: string, more: object = {}): PaddleEventData => ({ name, ...more }) as PaddleEventData;

/** A fake checkout that records how it was opened and reports its closing. */
const fakeCheckout = () => {
  const listeners = new Set<CheckoutListener>();
  const opened: CheckoutOpenOptions[] = [];
  let closings = 0;
  const emit = (checkoutEvent: PaddleEventData): void => {
    for (const listener of [...listeners]) listener(checkoutEvent);
  };
  return {
    opened,
    emit,
    closings: () => closings,
    listenerCount: () => listeners.size,
    listen: (listener: CheckoutListener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    window: {
      Checkout: {
        open: (options: CheckoutOpenOptions) => void opened.push(options),
        close: () => {
          closings += 1;
          emit(event("checkout.closed"));
        },
      },
    },
  };
};

const start = (fake: ReturnType<typeof fakeCheckout>, controller = new AbortController()) => {
  const outcome: { value: CheckoutOutcome | null } = { value: null };
  const options = { theme: "dark" as const, listen: fake.listen, signal: controller.signal };
  const done = openCheckout(fake.window, ORDER, options).then((value) => {
    outcome.value = value;
  });
  return { outcome, done, controller };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the checkout of a recorded purchase", () => {
  test("R-TIME-07, R-BUY-17: opens after 100 ms, not before", async () => {
    const fake = fakeCheckout();
    start(fake);
    await vi.advanceTimersByTimeAsync(99);
    expect(fake.opened).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(fake.opened).toHaveLength(1);
  });

  test("R-BUY-18 with the price id, quantity 1, the customer's email and the custom data from the server", async () => {
    const fake = fakeCheckout();
    start(fake);
    await vi.advanceTimersByTimeAsync(100);
    expect(fake.opened).toMatchObject([
      {
        items: [{ priceId: "pri_1", quantity: 1 }],
        customer: { email: "fern@example.com" },
        customData: ORDER.custom_data,
        settings: { displayMode: "overlay", theme: "dark" },
      },
    ]);
  });

  test("R-PAY-04 completed: reads exactly the documented fields and closes the overlay (R-BUY-22)", async () => {
    const fake = fakeCheckout();
    const { outcome, done } = start(fake);
    await vi.advanceTimersByTimeAsync(100);
    fake.emit(event("checkout.loaded", { data: DATA }));
    fake.emit(event("checkout.payment.failed", { data: DATA }));
    expect(outcome.value).toBeNull();
    fake.emit(event("checkout.completed", { data: DATA }));
    await done;
    expect(outcome.value).toEqual({
      kind: "completed",
      completion: {
        transactionId: "txn_1",
        credits: 500,
        total: 22.5,
        currency: "USD",
        productId: "pro_1",
        customerId: "ctm_1",
      },
    });
    expect([fake.closings(), fake.listenerCount()]).toEqual([1, 0]);
  });

  test("closed midway: nothing was bought and nothing is left behind", async () => {
    const fake = fakeCheckout();
    const { outcome, done } = start(fake);
    await vi.advanceTimersByTimeAsync(100);
    fake.emit(event("checkout.closed"));
    await done;
    expect(outcome.value).toEqual({ kind: "closed" });
    expect([fake.closings(), fake.listenerCount()]).toEqual([0, 0]);
  });

  test.each(["checkout.error", "checkout.failed"])(
    "%s ends it with the provider's detail for the log",
    async (name) => {
      const fake = fakeCheckout();
      const { outcome, done } = start(fake);
      await vi.advanceTimersByTimeAsync(100);
      fake.emit(event(name, { code: "price_archived", detail: "Not for sale" }));
      await done;
      expect(outcome.value).toEqual({ kind: "failed", detail: "price_archived: Not for sale" });
      expect(fake.closings()).toBe(1);
    },
  );

  test("R-PRICE-21, R-BUY-21: completed without a transaction may have been paid and is reported as unconfirmed", async () => {
    const fake = fakeCheckout();
    const { outcome, done } = start(fake);
    await vi.advanceTimersByTimeAsync(100);
    fake.emit(event("checkout.completed", { data: { ...DATA, transaction_id: "" } }));
    await done;
    expect(outcome.value).toMatchObject({ kind: "unconfirmed" });
  });

  test.each([
    ["checkout.error", "unconfirmed", 1],
    ["checkout.closed", "interrupted", 0],
  ])(
    "R-BUY-22 %s after a payment began may have been paid; after a declined card nothing was",
    async (name, kind, closings) => {
      const begun = fakeCheckout();
      const first = start(begun);
      await vi.advanceTimersByTimeAsync(100);
      begun.emit(event("checkout.payment.initiated"));
      begun.emit(event("checkout.payment.error"));
      begun.emit(event(name));
      await first.done;
      expect([first.outcome.value?.kind, begun.closings()]).toEqual([kind, closings]);
      const declined = fakeCheckout();
      const second = start(declined);
      await vi.advanceTimersByTimeAsync(100);
      declined.emit(event("checkout.payment.initiated"));
      declined.emit(event("checkout.payment.failed"));
      declined.emit(event(name));
      await second.done;
      expect(second.outcome.value?.kind).toBe(name === "checkout.error" ? "failed" : "closed");
    },
  );

  test("gives up a checkout that shows nothing for 30 seconds; one that has appeared may take its time", async () => {
    const silent = fakeCheckout();
    const first = start(silent);
    await vi.advanceTimersByTimeAsync(30_099);
    expect(first.outcome.value).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(first.outcome.value).toMatchObject({ kind: "failed" });
    const slow = fakeCheckout();
    const second = start(slow);
    await vi.advanceTimersByTimeAsync(100);
    slow.emit(event("checkout.loaded", { data: DATA }));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(second.outcome.value).toBeNull();
  });

  test("a script that throws while opening counts as failed", async () => {
    const fake = fakeCheckout();
    fake.window.Checkout.open = () => {
      throw new Error("Not set up");
    };
    const { outcome } = start(fake);
    await vi.advanceTimersByTimeAsync(100);
    expect(outcome.value).toMatchObject({ kind: "failed", detail: "Error: Not set up" });
  });

  test("R-TIME-07 leaving the screen within the 100 ms opens nothing; leaving later closes the overlay", async () => {
    const early = fakeCheckout();
    const first = start(early);
    await vi.advanceTimersByTimeAsync(50);
    first.controller.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([early.opened, first.outcome.value]).toEqual([[], { kind: "closed" }]);
    const late = fakeCheckout();
    const second = start(late);
    await vi.advanceTimersByTimeAsync(100);
    second.controller.abort();
    await second.done;
    expect([late.closings(), late.listenerCount(), second.outcome.value]).toEqual([1, 0, { kind: "closed" }]);
  });

  test("R-PAY-04 falls back to the item's product when the event has no product_id", () => {
    const { product_id: _, ...older } = DATA;
    // Only the fields that are read.
    const data = { ...older, items: [{ product: { id: "pro_2" } }] } as unknown as PaddleEventData["data"];
    expect(readCompletion(data)).toMatchObject({ productId: "pro_2" });
    expect(readCompletion(undefined)).toBeNull();
  });
});
