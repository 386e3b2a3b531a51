import { describe, expect, test } from "vitest";
import { shiftDay } from "#lib/features/analytics/policy.ts";
import { findSeason, regionOf, type Week } from "#lib/features/keywords/policy.ts";

/** Weeks up to a last day, oldest first; `valueAt` gets the weeks before the last one, so 0 is the newest. */
const weeksTo = (lastDay: string, count: number, valueAt: (weeksAgo: number) => number): Week[] =>
  Array.from({ length: count }, (_, index) => {
    const weeksAgo = count - 1 - index;
    return { endDay: shiftDay(lastDay, -7 * weeksAgo), value: Math.round(valueAt(weeksAgo)) };
  });

const TODAY = "2026-11-27";
const LAST = "2026-11-22";

/** A hill around a peak so many weeks ago; the year is a circle. */
const hill =
  (peakWeeksAgo: number, width = 4, base = 8) =>
  (weeksAgo: number): number => {
    const apart = Math.abs(weeksAgo - peakWeeksAgo);
    return base + (100 - base) * Math.exp(-((Math.min(apart, 52 - apart) / width) ** 2));
  };
const yearOf = (valueAt: (weeksAgo: number) => number) => weeksTo(LAST, 52, valueAt);
const peakOf = (history: Week[], forecast: Week[] = []) => findSeason(history, forecast, TODAY)?.peakDay ?? null;

describe("a keyword with a season", () => {
  test("its next peak is the last one a year later, to publish six to eight weeks before", () => {
    // The busiest week ended on June 28, so its middle was June 25.
    expect(findSeason(yearOf(hill(21)), [], TODAY)).toEqual({
      peakDay: "2027-06-24",
      publishFrom: "2027-04-29",
      publishTo: "2027-05-13",
    });
  });

  test("a peak still ahead in this round of the year is not moved by another year", () => {
    // 48 weeks ago: the end of December, five weeks from today.
    expect(peakOf(yearOf(hill(48)))).toBe("2026-12-17");
  });

  test("a southern summer peaks over New Year, where the year's ends meet", () => {
    expect(peakOf(yearOf(hill(46, 6)))).toBe("2026-12-31");
    // The same season when the data begin and end in the middle of it.
    const mid = weeksTo("2027-01-03", 52, hill(0, 6));
    expect(findSeason(mid, [], "2027-01-06")?.peakDay).toBe("2027-12-30");
  });

  test("of two seasons the next one counts, but not a small one", () => {
    const two = (second: number) => (ago: number) => Math.max(hill(21)(ago), (second / 100) * hill(46)(ago));
    expect(peakOf(yearOf(two(90)))).toBe("2026-12-31");
    expect(peakOf(yearOf(two(60)))).toBe("2027-06-24");
  });

  test("a forecast near the expected peak says when, on a scale of its own", () => {
    const forecast = weeksTo("2027-02-21", 13, (ago) => hill(6)(ago));
    expect(forecast.find(({ value }) => value === 100)?.endDay).toBe("2027-01-10");
    expect(peakOf(yearOf(hill(48)), forecast)).toBe("2027-01-07");
    // Far from it, the forecast is about something else.
    expect(peakOf(yearOf(hill(21)), forecast)).toBe("2027-06-24");
    // One that only falls has no peak.
    expect(
      peakOf(
        yearOf(hill(48)),
        weeksTo("2027-02-21", 13, (ago) => 20 + 6 * ago),
      ),
    ).toBe("2026-12-17");
  });

  test("the order of the weeks does not matter", () => {
    expect(peakOf(yearOf(hill(21)).toReversed())).toBe("2027-06-24");
  });
});

describe("no clear season", () => {
  test.each<[string, Week[]]>([
    ["no weeks", []],
    ["half a year", weeksTo(LAST, 26, hill(10))],
    ["nothing but zeros", yearOf(() => 0)],
    ["the same all year", yearOf(() => 100)],
    ["about the same all year", yearOf((ago) => 80 + 20 * Math.sin(ago * 2.7))],
    ["half of the year", yearOf(hill(21, 16))],
    ["a single week, as when something went viral", yearOf((ago) => (ago === 21 ? 100 : 9))],
    ["growth without an end", yearOf((ago) => 100 * 0.85 ** ago)],
    ["a fad that faded", yearOf((ago) => 100 * 0.85 ** (51 - ago))],
    [
      "52 weeks with years missing between them",
      [...weeksTo("2020-11-22", 26, hill(10)), ...weeksTo(LAST, 26, hill(9))],
    ],
  ])("%s", (_, history) => {
    expect(findSeason(history, [], TODAY)).toBeNull();
  });

  test("growth with an end in the forecast is one", () => {
    const growth = yearOf((ago) => 100 * 0.85 ** ago);
    const forecast = weeksTo("2027-02-21", 13, hill(6));
    expect(peakOf(growth, forecast)).toBe("2027-01-07");
  });
});

test.each([
  [null, "America/New_York", "US"],
  [null, "Asia/Kathmandu", "US"],
  ["en", "Europe/London", "GB+IE"],
  ["en", "Australia/Sydney", "AU+NZ"],
  [null, "America/Argentina/Cordoba", "AR"],
  ["de", "America/New_York", "DE"],
  ["es", "America/Mexico_City", "MX"],
  ["ja", "Europe/Paris", "FR"],
] as const)("trends for texts in %s and %s are those of %s", (language, timeZone, region) => {
  expect(regionOf({ language, timeZone })).toBe(region);
});
