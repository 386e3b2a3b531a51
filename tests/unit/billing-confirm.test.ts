import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { confirmPayment, PENDING_WAITS_MS, RETRY_WAITS_MS } from "#components/billing/confirm-payment.ts";
import { ApiError } from "#lib/client/api.ts";
import { adPixelUrl } from "#lib/core/ad-pixel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("confirming a payment with the server", () => {
  type Answer = { status: "pending" | "completed" };
  const isPending = ({ status }: Answer): boolean => status === "pending";
  const confirmWith = async (answers: (Answer | Error)[], signal = new AbortController().signal) => {
    let calls = 0;
    const ask = async (): Promise<Answer> => {
      const answer = answers[Math.min(calls, answers.length - 1)] ?? new Error("no answer");
      calls += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const done = confirmPayment(ask, { isPending, signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(120_000);
    return { result: await done, calls };
  };

  test("completed immediately is requested once", async () => {
    expect(await confirmWith([{ status: "completed" }])).toEqual({ result: { status: "completed" }, calls: 1 });
  });

  test("pending is requested again until it is settled, but not forever", async () => {
    const [pending, completed]: Answer[] = [{ status: "pending" }, { status: "completed" }];
    if (!pending || !completed) throw new Error("two answers");
    expect(await confirmWith([pending, pending, completed])).toEqual({ result: completed, calls: 3 });
    expect(await confirmWith([pending])).toEqual({ result: pending, calls: 1 + PENDING_WAITS_MS.length });
  });

  test("R-BUY-21, R-PRICE-21: a failed call is tried three times, a refused one once", async () => {
    for (const status of [0, 429, 503]) {
      const lost = new ApiError(status, null);
      expect(await confirmWith([lost])).toEqual({ result: lost, calls: 1 + RETRY_WAITS_MS.length });
      expect(await confirmWith([lost, { status: "completed" }])).toEqual({ result: { status: "completed" }, calls: 2 });
    }
    for (const status of [404, 409]) {
      const refused = new ApiError(status, null);
      expect(await confirmWith([refused])).toEqual({ result: refused, calls: 1 });
    }
  });

  test("stops when the user leaves the screen", async () => {
    const controller = new AbortController();
    controller.abort();
    expect((await confirmWith([{ status: "pending" }], controller.signal)).calls).toBe(1);
  });
});

test("A-60, R-PAY-02: the ad pixel receives amount, currency and product of a purchase and no personal data", () => {
  const purchase = { total: 22.5, currency: "USD", productId: "pro_1" };
  const { origin, searchParams } = new URL(adPixelUrl("12345", "Purchase", 7, purchase));
  expect(origin).toBe("https://www.facebook.com");
  expect(Object.fromEntries(searchParams)).toEqual({
    id: "12345",
    ev: "Purchase",
    noscript: "1",
    ts: "7",
    "cd[value]": "22.5",
    "cd[currency]": "USD",
    "cd[content_ids]": "pro_1",
  });
  expect([...new URL(adPixelUrl("12345", "PageView", 7)).searchParams.keys()]).toEqual(["id", "ev", "noscript", "ts"]);
});
