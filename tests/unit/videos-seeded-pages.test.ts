import { describe, expect, test } from "vitest";
import { byEvents } from "#tests/bench/extract/by-events.ts";
import { byCheerio, byNodeHtmlParser } from "#tests/bench/extract/by-selectors.ts";
import { makeMutant } from "#tests/support/video-pages-seeded/mutate.ts";
import { LAYOUTS, makePage, periodsOf } from "#tests/support/video-pages-seeded/page.ts";

const shapes = LAYOUTS.flatMap((layout) => periodsOf(layout).map((period) => ({ layout, period })));

describe("the seeded pages", () => {
  test.each(shapes.filter(({ layout }) => layout !== "api"))(
    "R-VID-22 $layout of $period: three parsers and plain selectors read the expected records",
    (shape) => {
      const { html, expected } = makePage({ ...shape, seed: shape.period, disguise: 3, videos: 12 });
      expect(byCheerio(html)).toEqual(expected);
      expect(byNodeHtmlParser(html)).toEqual(expected);
      expect(byEvents(html)).toEqual(expected);
    },
  );
});

describe("the same seed", () => {
  test("R-VID-22 gives the same page and mutants, another seed gives others", () => {
    const input = { layout: "search", period: 2025, videos: 3, disguise: 2 } as const;
    expect(makePage({ ...input, seed: 4 })).toEqual(makePage({ ...input, seed: 4 }));
    expect(makePage({ ...input, seed: 5 }).html).not.toBe(makePage({ ...input, seed: 4 }).html);
    expect(makePage({ ...input, seed: 4, disguise: 3 })).toMatchObject({
      expected: makePage({ ...input, seed: 4 }).expected,
    });
    expect(makeMutant(1, 2)).toBe(makeMutant(1, 2));
    expect(new Set(Array.from({ length: 200 }, (_, n) => makeMutant(1, n))).size).toBeGreaterThan(190);
  });
});
