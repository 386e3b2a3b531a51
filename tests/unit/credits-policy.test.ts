import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COST_CREDITS, FREE_ALLOWANCE, LOW_CREDITS, TEXTS } from "#lib/features/credits/constants.ts";
import {
  affordableCount,
  allowancePeriod,
  availableOf,
  isLow,
  splitCost,
  toCreditsView,
} from "#lib/features/credits/policy.ts";

describe("constants", () => {
  test("R-CONST-01, R-AIC-10: high 2, standard 1", () => {
    expect(COST_CREDITS).toEqual({ high: 2, standard: 1 });
  });

  test("R-CONST-02: low is under 10", () => {
    expect(LOW_CREDITS).toBe(10);
  });

  test("A-26: five credits a month on the free plan", () => {
    expect(FREE_ALLOWANCE).toBe(5);
  });

  test("R-CRED-02, R-CRED-03: the panel's texts", () => {
    expect(TEXTS).toEqual({
      low: "Low",
      available: "Available",
      runningLow: "Your credits are running low. Buy more to continue generating pins.",
      buyMore: "Buy More Credits",
    });
  });
});

describe("the panel", () => {
  test.each([
    [0, true],
    [9, true],
    [10, false],
    [400, false],
  ])("R-CRED-02: %i credits, low: %s", (credits, low) => {
    expect(isLow(credits)).toBe(low);
    expect(toCreditsView(credits)).toEqual(
      low ? { label: "Low", low, text: TEXTS.runningLow } : { label: "Available", low, text: null },
    );
  });
});

describe("A-25: two buckets", () => {
  test("available is the sum", () => {
    expect(availableOf({ allowance: 5, purchased: 7 })).toBe(12);
  });

  test.each([
    [{ allowance: 5, purchased: 5 }, 2, { fromAllowance: 2, fromPurchased: 0 }],
    [{ allowance: 1, purchased: 5 }, 2, { fromAllowance: 1, fromPurchased: 1 }],
    [{ allowance: 0, purchased: 5 }, 2, { fromAllowance: 0, fromPurchased: 2 }],
  ])("the allowance is spent first: %j for %i", (buckets, cost, split) => {
    expect(splitCost(buckets, cost)).toEqual(split);
  });

  test("a split of an affordable cost takes no bucket below zero", () => {
    const small = fc.nat({ max: 50 });
    fc.assert(
      fc.property(small, small, small, (allowance, purchased, cost) => {
        fc.pre(cost <= allowance + purchased);
        const { fromAllowance, fromPurchased } = splitCost({ allowance, purchased }, cost);
        return fromAllowance + fromPurchased === cost && fromAllowance <= allowance && fromPurchased <= purchased;
      }),
    );
  });
});

describe("R-SRV-02: the affordable part", () => {
  test.each([
    [5, [2, 2, 2], 2],
    [5, [1, 1, 1], 3],
    [1, [2, 2], 0],
    [0, [1], 0],
    [4, [2, 2], 2],
    [3, [2, 2, 1], 1],
    [3, [], 0],
  ])("%i credits for %j: %i", (credits, costs, count) => {
    expect(affordableCount(credits, costs)).toBe(count);
  });
});

test("DESIGN §6: the period is the calendar month in UTC, and keys sort by time", () => {
  expect(allowancePeriod(new Date("2026-11-30T23:59:59.999Z"))).toBe("2026-11");
  expect(allowancePeriod(new Date("2026-12-01T00:00:00.000Z"))).toBe("2026-12");
  expect("" < "2026-11" && "2026-11" < "2026-12" && "2026-12" < "2027-01").toBe(true);
});
