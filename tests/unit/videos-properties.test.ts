import { describe, expect, test } from "vitest";
import { extract } from "#lib/features/videos/engine/extract.ts";
import { fc } from "#tests/support/properties.ts";
import { makeMutant } from "#tests/support/video-pages-seeded/mutate.ts";
import { LAYOUTS, makePage, periodsOf } from "#tests/support/video-pages-seeded/page.ts";
import { validExtraction } from "#tests/support/video-pages-seeded/valid.ts";

const shapes = LAYOUTS.flatMap((layout) => periodsOf(layout).map((period) => ({ layout, period })));
const seed = fc.nat({ max: 2 ** 31 });
const page = fc.record({
  shape: fc.constantFrom(...shapes),
  seed,
  disguise: fc.nat({ max: 1e6 }),
  videos: fc.integer({ min: 1, max: 6 }),
});
type RandomPage = typeof page extends fc.Arbitrary<infer T> ? T : never;

const make = ({ shape, ...input }: RandomPage) => makePage({ ...shape, ...input });
const withoutSources = (html: string) => extract(html).videos.map(({ sources: _, ...record }) => record);

describe("a generated page", () => {
  test.each(shapes)("R-VID-22, R-VID-23 $layout of $period: the exact records are extracted", (shape) => {
    for (const n of [1, 2, 3, 4]) {
      const { html, expected } = makePage({ ...shape, seed: n * 100 + shape.period, disguise: n, videos: n * n });
      expect(withoutSources(html)).toEqual(expected);
    }
  });

  test("R-VID-22 the exact records are extracted from any generated page", () => {
    fc.assert(
      fc.property(page, (drawn) => {
        const { html, expected } = make(drawn);
        expect(withoutSources(html)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test("R-VID-22 attribute order, wrappers, hashed classes and escaping change nothing", () => {
    fc.assert(
      fc.property(page, fc.nat({ max: 1e6 }), (drawn, disguise) => {
        const plain = extract(make(drawn).html);
        const other = extract(make({ ...drawn, disguise }).html);
        expect(other.videos).toEqual(plain.videos);
        expect([other.page, other.notice]).toEqual([plain.page, plain.notice]);
      }),
      { numRuns: 200 },
    );
  });

  test("R-VID-22 the page kind is detected from the markup", () => {
    for (const shape of shapes) {
      expect(extract(makePage({ ...shape, seed: 5, videos: 3 }).html).page).toBe(shape.layout);
    }
  });
});

describe("a mutated page", () => {
  /** Set by VIDEOS_SEED; the same seed gives the same mutants. */
  const SEED = Number(process.env.VIDEOS_SEED ?? 7);

  test(`R-VID-24, R-VID-25 10,000 mutated pages (VIDEOS_SEED=${SEED}): no crash, always a valid answer`, () => {
    let found = 0;
    for (let n = 0; n < 10_000; n += 1) {
      const answer = validExtraction.safeParse(extract(makeMutant(SEED, n)));
      expect(answer.error?.issues ?? [], `makeMutant(${SEED}, ${n})`).toEqual([]);
      found += answer.data?.videos.length ?? 0;
    }
    // Most mutations affect one card; the others are kept.
    expect(found).toBeGreaterThan(10_000);
  }, 120_000);
});
