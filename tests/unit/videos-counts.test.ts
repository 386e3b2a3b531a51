import { describe, expect, test } from "vitest";
import { viewsOf } from "#lib/features/videos/engine/analysis.ts";

describe("counts as pages show them", () => {
  test.each([
    ["1.2K", 1_200],
    ["3M", 3_000_000],
    ["1,234", 1_234],
    ["987", 987],
    ["", 0],
    [null, 0],
    [undefined, 0],
  ])("R-VID-30 the vector %j is %d", (text, views) => {
    expect(viewsOf(text)).toBe(views);
  });

  test.each([
    ["1.2k", 1_200],
    ["3m", 3_000_000],
    ["2B", 2_000_000_000],
    ["1.5b", 1_500_000_000],
    ["101.5K", 101_500],
    ["161.6K", 161_600],
    ["1.1 M", 1_100_000],
  ])("A-72 units in either case, and billions: %j is %d", (text, views) => {
    expect(viewsOf(text)).toBe(views);
  });

  test.each([
    ["1,2 млн", 1_200_000],
    ["1,2\u00a0млн", 1_200_000],
    ["15,3 тыс.", 15_300],
    ["3万", 30_000],
    ["12.5万", 125_000],
    ["1.2億", 120_000_000],
    ["4,7 Mio.", 4_700_000],
    ["12 mil", 12_000],
    ["1,2 jt", 1_200_000],
    ["2,5M", 2_500_000],
    ["1.234.567", 1_234_567],
    ["1.234", 1_234],
    ["1.234M", 1_234_000],
    ["12 345", 12_345],
    ["12’345", 12_345],
    ["12,34,567", 1_234_567],
    ["١٢٣", 123],
    ["１２", 12],
    ["1.2K views", 1_200],
    ["Views 987", 987],
    [".5M", 500_000],
    [".25", 0],
    ["1.2Kviews", 1_200],
    ["3mviews", 3_000_000],
    ["3min", 3],
    ["5 months", 5],
    ["5 Months", 5],
    ["1,2K", 1_200],
  ])("R-VID-30 best effort for other languages: %j is %d", (text, views) => {
    expect(viewsOf(text)).toBe(views);
  });

  test.each(["1.2.3K", "-5", "−5", "万", "млн", "K", "...", ",", "NaN", "Infinity", "N/A", "--", "9".repeat(60)])(
    "R-VID-30 unreadable or negative, %j, is 0 and never NaN",
    (text) => {
      expect(viewsOf(text)).toBe(0);
    },
  );

  test.each([
    [1e21, Number.MAX_SAFE_INTEGER],
    [1.5e300, Number.MAX_SAFE_INTEGER],
    [1e-7, 0],
  ])("R-VID-30 a number in JavaScript notation: %j is %d", (number, views) => {
    expect(viewsOf(String(number))).toBe(views);
  });

  test("R-VID-30 a count beyond the safe integers stays a safe integer", () => {
    expect(viewsOf(`${"9".repeat(40)}B`)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
