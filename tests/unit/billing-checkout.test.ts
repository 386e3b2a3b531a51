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

/** An event as the provider's script tells it; its names are an enum that only its types have. */
const event = (name: string, more: object = {}): PaddleEventData => ({ name, ...more }) as PaddleEventData;

/** The provider's checkout, played: it remembers what it was opened with, and closing it tells so. */
const playCheckout = () => {
  const listeners = new Set<CheckoutListener>();
  const opened: CheckoutOpenOptions[] = [];
  let closings = 0;
  const tell = (told: PaddleEventData): void => {
    for (const listener of [...listeners]) listener(told);
  };
  return {
    opened,
    tell,
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
          tell(event("checkout.closed"));
        },
      },
    },
  };
};

const start = (played: ReturnType<typeof playCheckout>, controller = new AbortController()) => {
  const outcome: { value: CheckoutOutcome | null } = { value: null };
  const options = { theme: "dark" as const, listen: played.listen, signal: controller.signal };
  const done = openCheckout(played.window, ORDER, options).then((value) => {
    outcome.value = value;
  });
  return { outcome, done, controller };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the checkout of a recorded purchase", () => {
  test("R-TIME-07, R-BUY-17: it opens 100 ms after it was asked for, not before", async () => {
    const played = playCheckout();
    start(played);
    await vi.advanceTimersByTimeAsync(99);
    expect(played.opened).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(played.opened).toHaveLength(1);
  });

  test("R-BUY-18 by price id, quantity 1, with the customer's address and the custom data as the server gave them", async () => {
    const played = playCheckout();
    start(played);
    await vi.advanceTimersByTimeAsync(100);
    expect(played.opened).toMatchObject([
      {
        items: [{ priceId: "pri_1", quantity: 1 }],
        customer: { email: "fern@example.com" },
        customData: ORDER.custom_data,
        settings: { displayMode: "overlay", theme: "dark" },
      },
    ]);
  });

  test("R-PAY-04 completed: exactly the documented names are read, and the overlay is closed (R-BUY-22)", async () => {
    const played = playCheckout();
    const { outcome, done } = start(played);
    await vi.advanceTimersByTimeAsync(100);
    played.tell(event("checkout.loaded", { data: DATA }));
    played.tell(event("checkout.payment.failed", { data: DATA }));
    expect(outcome.value).toBeNull();
    played.tell(event("checkout.completed", { data: DATA }));
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
    expect([played.closings(), played.listenerCount()]).toEqual([1, 0]);
  });

  test("closed midway: nothing was bought, and nothing is left behind", async () => {
    const played = playCheckout();
    const { outcome, done } = start(played);
    await vi.advanceTimersByTimeAsync(100);
    played.tell(event("checkout.closed"));
    await done;
    expect(outcome.value).toEqual({ kind: "closed" });
    expect([played.closings(), played.listenerCount()]).toEqual([0, 0]);
  });

  test.each(["checkout.error", "checkout.failed"])(
    "%s ends it with the provider's detail for the log",
    async (name) => {
      const played = playCheckout();
      const { outcome, done } = start(played);
      await vi.advanceTimersByTimeAsync(100);
      played.tell(event(name, { code: "price_archived", detail: "Not for sale" }));
      await done;
      expect(outcome.value).toEqual({ kind: "failed", detail: "price_archived: Not for sale" });
      expect(played.closings()).toBe(1);
    },
  );

  test("R-PRICE-21, R-BUY-21: completed without a transaction was paid perhaps, and is not told as one that never began", async () => {
    const played = playCheckout();
    const { outcome, done } = start(played);
    await vi.advanceTimersByTimeAsync(100);
    played.tell(event("checkout.completed", { data: { ...DATA, transaction_id: "" } }));
    await done;
    expect(outcome.value).toMatchObject({ kind: "unconfirmed" });
  });

  test.each([
    ["checkout.error", "unconfirmed", 1],
    ["checkout.closed", "interrupted", 0],
  ])(
    "R-BUY-22 %s after a payment began may have been paid; after a declined card nothing was",
    async (name, kind, closings) => {
      const begun = playCheckout();
      const first = start(begun);
      await vi.advanceTimersByTimeAsync(100);
      begun.tell(event("checkout.payment.initiated"));
      begun.tell(event("checkout.payment.error"));
      begun.tell(event(name));
      await first.done;
      expect([first.outcome.value?.kind, begun.closings()]).toEqual([kind, closings]);
      const declined = playCheckout();
      const second = start(declined);
      await vi.advanceTimersByTimeAsync(100);
      declined.tell(event("checkout.payment.initiated"));
      declined.tell(event("checkout.payment.failed"));
      declined.tell(event(name));
      await second.done;
      expect(second.outcome.value?.kind).toBe(name === "checkout.error" ? "failed" : "closed");
    },
  );

  test("one that shows nothing for 30 seconds is given up; one that has shown itself may take its time", async () => {
    const silent = playCheckout();
    const first = start(silent);
    await vi.advanceTimersByTimeAsync(30_099);
    expect(first.outcome.value).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(first.outcome.value).toMatchObject({ kind: "failed" });
    const slow = playCheckout();
    const second = start(slow);
    await vi.advanceTimersByTimeAsync(100);
    slow.tell(event("checkout.loaded", { data: DATA }));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(second.outcome.value).toBeNull();
  });

  test("a script that throws on opening counts as failed", async () => {
    const played = playCheckout();
    played.window.Checkout.open = () => {
      throw new Error("Not set up");
    };
    const { outcome } = start(played);
    await vi.advanceTimersByTimeAsync(100);
    expect(outcome.value).toMatchObject({ kind: "failed", detail: "Error: Not set up" });
  });

  test("R-TIME-07 a screen that is left within the 100 ms opens nothing; later it takes the overlay along", async () => {
    const early = playCheckout();
    const first = start(early);
    await vi.advanceTimersByTimeAsync(50);
    first.controller.abort();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([early.opened, first.outcome.value]).toEqual([[], { kind: "closed" }]);
    const late = playCheckout();
    const second = start(late);
    await vi.advanceTimersByTimeAsync(100);
    second.controller.abort();
    await second.done;
    expect([late.closings(), late.listenerCount(), second.outcome.value]).toEqual([1, 0, { kind: "closed" }]);
  });

  test("R-PAY-04 where the event has no product_id of its own, the item's product says it", () => {
    const { product_id: _, ...older } = DATA;
    // Only what is read is given.
    const data = { ...older, items: [{ product: { id: "pro_2" } }] } as unknown as PaddleEventData["data"];
    expect(readCompletion(data)).toMatchObject({ productId: "pro_2" });
    expect(readCompletion(undefined)).toBeNull();
  });
});
