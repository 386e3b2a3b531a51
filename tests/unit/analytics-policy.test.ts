import { describe, expect, test } from "vitest";
import { AppError } from "#lib/core/errors.ts";
import { IMPRESSIONS_MIN, TEXTS } from "#lib/features/analytics/constants.ts";
import {
  checkRange,
  countDays,
  type Group,
  lastFinalDay,
  NO_SUMS,
  rangeBefore,
  rank,
  recentSpan,
  wilson,
} from "#lib/features/analytics/policy.ts";

// Shortly before midnight UTC, when it is already tomorrow elsewhere.
const NOW = new Date("2026-11-22T23:59:00.000Z");

const group = (key: string, impressions: number, outboundClicks: number, pins = 1): Group => ({
  ...{ key, label: null, pins, countedPins: pins },
  sums: { ...NO_SUMS, impressions, outboundClicks },
});

describe("the Wilson interval", () => {
  // By the closed form in 50 decimal digits; Newcombe 1998 has the first four: 0.2553 to 0.3662, 0.0624 to 0.1605 …
  test.each([
    [81, 263, 0.2552885, 0.3662096],
    [15, 148, 0.0623864, 0.1604872],
    [0, 20, 0, 0.1611252],
    [1, 29, 0.0061132, 0.1717552],
    [5, 10, 0.2365931, 0.7634069],
    [50, 100, 0.4038315, 0.5961685],
  ])("A-83 of %i in %i lies between %f and %f", (hits, cases, low, high) => {
    const found = wilson(hits, cases);
    expect(found?.rate).toBeCloseTo(hits / cases, 12);
    expect(found?.low).toBeCloseTo(low, 6);
    expect(found?.high).toBeCloseTo(high, 6);
  });

  test("A-83 is null without impressions", () => {
    expect(wilson(0, 0)).toBeNull();
    expect(wilson(5, 0)).toBeNull();
  });

  test("A-83 is exactly 0 or 1 at the ends for none or all", () => {
    expect(wilson(0, 20)).toMatchObject({ rate: 0, low: 0, high: expect.closeTo(0.161125, 5) });
    expect(wilson(20, 20)).toMatchObject({ rate: 1, low: expect.closeTo(0.838875, 5), high: 1 });
  });

  test("A-83 caps clicks at the impressions", () => {
    expect(wilson(30, 20)).toEqual(wilson(20, 20));
  });

  test("A-83 stays within 0 and 1 and close to the rate for huge numbers", () => {
    const found = wilson(3_000_000_000, 9_000_000_000_000);
    expect(found?.low).toBeGreaterThan(0);
    expect(found?.low).toBeLessThan(found?.rate ?? 0);
    expect(found?.high).toBeGreaterThan(found?.rate ?? 1);
    expect((found?.high ?? 1) - (found?.low ?? 0)).toBeLessThan(1e-7);
  });

  test("A-83 always contains the rate and lies within 0 and 1", () => {
    for (let cases = 1; cases <= 60; cases += 1) {
      for (let hits = 0; hits <= cases; hits += 1) {
        const { rate, low, high } = wilson(hits, cases) ?? { rate: -1, low: 0, high: 0 };
        expect([0 <= low, low <= rate, rate <= high, high <= 1, low < high]).toEqual([true, true, true, true, true]);
      }
    }
  });
});

describe("ranges of days", () => {
  test("A-83 the last final day is the day before yesterday in UTC", () => {
    expect(lastFinalDay(NOW)).toBe("2026-11-20");
    expect(lastFinalDay(new Date("2026-11-23T00:00:00.000Z"))).toBe("2026-11-21");
    expect(lastFinalDay(new Date("2027-01-01T00:00:00.000Z"))).toBe("2026-12-30");
  });

  test("A-83 ranges end with it; the longest starts with Pinterest's history", () => {
    expect(recentSpan(NOW, 7)).toEqual({ firstDay: "2026-11-14", lastDay: "2026-11-20" });
    expect(recentSpan(NOW, 30)).toEqual({ firstDay: "2026-10-22", lastDay: "2026-11-20" });
    expect(recentSpan(NOW, 90)).toEqual({ firstDay: "2026-08-25", lastDay: "2026-11-20" });
  });

  test("A-83 every preset range is valid", () => {
    for (const days of [7, 30, 90]) expect(() => checkRange(recentSpan(NOW, days), NOW)).not.toThrow();
  });

  test.each([
    ["2026-11-20", "2026-11-19", TEXTS.rangeInvalid],
    ["2026-11-20", "2026-11-23", TEXTS.rangeInFuture],
    ["2026-11-24", "2026-11-25", TEXTS.rangeInFuture],
    ["2026-08-24", "2026-11-20", TEXTS.rangeTooOld],
    ["2020-01-01", "2026-11-20", TEXTS.rangeTooOld],
  ])("A-83 from %s to %s is rejected: %s", (firstDay, lastDay, text) => {
    const check = () => checkRange({ firstDay, lastDay }, NOW);
    expect(check).toThrow(AppError);
    expect(check).toThrow(expect.objectContaining({ code: "invalid", message: text }));
  });

  test("A-83 one day is a range, and so is today", () => {
    for (const day of ["2026-11-22", "2026-08-25"]) {
      expect(() => checkRange({ firstDay: day, lastDay: day }, NOW)).not.toThrow();
      expect(countDays({ firstDay: day, lastDay: day })).toBe(1);
    }
  });

  test("A-83 the range before has the same number of days, or is null beyond Pinterest's history", () => {
    expect(rangeBefore({ firstDay: "2026-11-14", lastDay: "2026-11-20" }, NOW)).toEqual({
      firstDay: "2026-11-07",
      lastDay: "2026-11-13",
    });
    // A month with a daylight saving change; days are UTC days.
    expect(rangeBefore(recentSpan(NOW, 30), NOW)).toEqual({ firstDay: "2026-09-22", lastDay: "2026-10-21" });
    expect(rangeBefore({ firstDay: "2026-10-08", lastDay: "2026-11-20" }, NOW)).toEqual({
      firstDay: "2026-08-25",
      lastDay: "2026-10-07",
    });
    expect(rangeBefore({ firstDay: "2026-10-07", lastDay: "2026-11-20" }, NOW)).toBeNull();
    expect(rangeBefore(recentSpan(NOW, 90), NOW)).toBeNull();
  });
});

describe("the ranking", () => {
  test("A-83 ranks proven groups above lucky ones", () => {
    const ranked = rank([
      group("chance", IMPRESSIONS_MIN, 40),
      group("steady", 100_000, 3_500),
      group("weak", 50_000, 100),
    ]);
    expect(ranked.map(({ key }) => key)).toEqual(["steady", "chance", "weak"]);
    const [steady, chance] = ranked;
    expect(chance?.click?.rate).toBeGreaterThan(steady?.click?.rate ?? 1);
  });

  test("A-83 ranks groups with few impressions last, by impressions", () => {
    const ranked = rank([
      group("lucky", IMPRESSIONS_MIN - 1, 900),
      group("unseen", 0, 0, 7),
      group("unseen as well", 0, 0, 9),
      group("decided", IMPRESSIONS_MIN, 0),
    ]);
    expect(ranked.map(({ key, isUndecided }) => [key, isUndecided])).toEqual([
      ["decided", false],
      ["lucky", true],
      ["unseen as well", true],
      ["unseen", true],
    ]);
    expect(ranked.at(-1)?.click).toBeNull();
  });

  test("A-83 orders equal groups the same way regardless of input order", () => {
    const groups = ["b", "a", "c"].map((key) => group(key, 5_000, 50));
    expect(rank(groups)).toEqual(rank(groups.toReversed()));
  });
});
