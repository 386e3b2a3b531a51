import { describe, expect, test } from "vitest";
import { FREE_ALLOWANCE } from "#lib/features/billing/plans.ts";
import { COST_CREDITS, LOW_CREDITS, TEXTS } from "#lib/features/credits/constants.ts";
import {
  affordableCount,
  allowancePeriod,
  availableOf,
  decideLowEmail,
  describePeriod,
  isAllowanceTaken,
  isLow,
  isMonthDue,
  monthBefore,
  paidPeriod,
  remainderOfLot,
  splitCost,
  toCreditsView,
  usableBuckets,
} from "#lib/features/credits/policy.ts";
import { fc } from "#tests/support/properties.ts";

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
    expect(TEXTS).toMatchObject({
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

describe("R-SRV-02: what is affordable", () => {
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

test("the period is the calendar month in UTC, and keys sort by time", () => {
  expect(allowancePeriod(new Date("2026-11-30T23:59:59.999Z"))).toBe("2026-11");
  expect(allowancePeriod(new Date("2026-12-01T00:00:00.000Z"))).toBe("2026-12");
  expect("" < "2026-11" && "2026-11" < "2026-12" && "2026-12" < "2027-01").toBe(true);
});

/** A model of packs: the remaining credits of each, spent oldest first. */
const applyToPacks = (acts: readonly { kind: "buy" | "spend" | "refund"; credits: number; pick: number }[]) => {
  const packs: { cause: string; credits: number; left: number }[] = [];
  const spend = (credits: number) => {
    let open = credits;
    for (const lot of packs) {
      const taken = Math.min(lot.left, open);
      lot.left -= taken;
      open -= taken;
    }
  };
  for (const { kind, credits, pick } of acts) {
    const lot = packs[pick % Math.max(1, packs.length)];
    if (kind === "buy") packs.push({ cause: `purchase:${packs.length}`, credits, left: credits });
    else if (kind === "spend") spend(credits);
    else if (lot) {
      const taken = Math.min(lot.left, credits);
      lot.left -= taken;
      lot.credits -= taken;
    }
  }
  return packs;
};

const act = fc.record({
  kind: fc.constantFrom("buy" as const, "spend" as const, "refund" as const),
  credits: fc.integer({ min: 1, max: 300 }),
  pick: fc.nat({ max: 20 }),
});

describe("what is left of a pack", () => {
  test("matches a shelf from which the oldest credit is taken first", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const packs = applyToPacks(acts);
        const purchased = packs.reduce((sum, { left }) => sum + left, 0);
        const found = packs.map(({ cause }) => remainderOfLot(packs, purchased, cause));
        expect(found).toEqual(packs.map(({ left }) => left));
      }),
      { numRuns: 1_000 },
    );
  });

  test("never more than the pack, never below zero, and the sum of all lots is the balance; nothing for an unknown lot", () => {
    const lots = [
      { cause: "a", credits: 100 },
      { cause: "b", credits: 300 },
    ];
    expect(remainderOfLot(lots, 400, "a")).toBe(100);
    expect(remainderOfLot(lots, 300, "a")).toBe(0);
    expect(remainderOfLot(lots, 120, "b")).toBe(120);
    expect(remainderOfLot(lots, 400, "c")).toBe(0);
    expect(remainderOfLot([], 0, "a")).toBe(0);
  });
});

describe("the low-credits email", () => {
  const decide = (before: number, after: number, kind: string, isExplicit = false) =>
    decideLowEmail({ before, after, kinds: [kind] }, isExplicit);

  test("R-CRED-02: once, when using credits takes the balance from 10 or more to 9 or less", () => {
    expect(decide(10, 9, "reserve")).toBe("send");
    expect(decide(150, 0, "revoke")).toBe("send");
    expect(decide(11, 10, "reserve")).toBe("keep");
    expect(decide(9, 8, "reserve")).toBe("keep");
    expect(decide(10, 9, "reserve", true)).toBe("keep");
  });

  test("an expiring allowance does not trigger it", () => {
    expect(decide(150, 5, "expiry")).toBe("keep");
  });

  test("granted credits reset it, from 10 on; returned ones do not", () => {
    for (const kind of ["purchase", "grant", "allowance", "restore"]) expect(decide(8, 10, kind, true)).toBe("reset");
    expect(decide(2, 9, "purchase", true)).toBe("keep");
    expect(decide(8, 12, "release", true)).toBe("keep");
    expect(decide(8, 100, "purchase")).toBe("keep");
  });
});

describe("the period of an allowance", () => {
  const november = new Date("2026-11-20T00:00:00Z");

  test("R-SUB-06: a free plan's month is due when a month or a paid plan has ended; a paid plan's never is", () => {
    expect(isMonthDue({ period: "", plan: "free" }, november)).toBe(true);
    expect(isMonthDue({ period: "2026-10", plan: "free" }, november)).toBe(true);
    expect(isMonthDue({ period: "2026-11", plan: "free" }, november)).toBe(false);
    expect(isMonthDue({ period: "2026-12", plan: "free" }, november)).toBe(false);
    expect(isMonthDue({ period: paidPeriod(november), plan: "free" }, november)).toBe(true);
    expect(isMonthDue({ period: paidPeriod(november), plan: "basic" }, november)).toBe(false);
    expect(isMonthDue({ period: "2026-10", plan: "basic" }, november)).toBe(false);
  });

  test("a period as text", () => {
    expect(describePeriod("2026-10")).toBe("October");
    expect(describePeriod(paidPeriod(new Date("2026-10-31T23:59:59Z")))).toBe("the month starting October 31");
  });
});

describe("the free allowance", () => {
  test("the month before", () => {
    expect(["2026-11", "2026-03", "2027-01"].map(monthBefore)).toEqual(["2026-10", "2026-02", "2026-12"]);
  });

  test("is taken when a month granted nothing; a paid period and a new balance are not", () => {
    const periods = ["2026-11", paidPeriod(new Date("2026-11-03T00:00:00Z")), ""];
    expect(periods.map((period) => isAllowanceTaken({ period, granted: 0 }))).toEqual([true, false, false]);
    expect(isAllowanceTaken({ period: "2026-11", granted: 5 })).toBe(false);
  });

  test("without a confirmed email the first five free credits can be used; others always", () => {
    const usable = (freeUsed: number, isConfirmed = false, period = "2026-11") =>
      usableBuckets({ allowance: 5, purchased: 7, period }, { isConfirmed, freeUsed }).allowance;
    expect([0, 3, 5, 9].map((used) => usable(used))).toEqual([5, 2, 0, 0]);
    expect([usable(9, true), usable(9, false, paidPeriod(new Date()))]).toEqual([5, 5]);
    const all = usableBuckets({ allowance: 5, purchased: 7, period: "2026-11" }, { isConfirmed: false, freeUsed: 5 });
    expect(all).toEqual({ allowance: 0, purchased: 7 });
  });
});
