import { describe, expect, test } from "vitest";
import { type ClickCounts, type Group, isAbove, NO_SUMS, rank, standingOf } from "#lib/features/analytics/policy.ts";
import { createRandom } from "#tests/support/random.ts";

type Random = ReturnType<typeof createRandom>;

const ROUNDS = 1_000;

/** A random number of clicks on n impressions at this rate; the gaps between clicks are exponential. */
const clicksOf = (random: Random, impressions: number, rate: number): number => {
  let clicks = -1;
  for (let at = 0; at < impressions; clicks += 1) at += -Math.log(1 - random.below(1_000_000) / 1_000_000) / rate;
  return clicks;
};

const seen = (impressions: number, outboundClicks: number): ClickCounts => ({ impressions, outboundClicks });

const totalOf = (groups: readonly ClickCounts[]): ClickCounts =>
  seen(
    groups.reduce((sum, { impressions }) => sum + impressions, 0),
    groups.reduce((sum, { outboundClicks }) => sum + outboundClicks, 0),
  );

const roundOf = (random: Random, rates: readonly number[], [least, most]: [number, number]) => {
  const groups = rates.map((rate, at): Group => {
    const impressions = least + random.below(most - least + 1);
    const outboundClicks = clicksOf(random, impressions, rate);
    return { key: `${at}`, label: null, pins: 1, countedPins: 1, sums: { ...NO_SUMS, impressions, outboundClicks } };
  });
  const evaluated = rank(groups);
  const sums = evaluated.map((group) => group.sums);
  return { first: evaluated[0]?.key, ...standingOf(sums, totalOf(sums)) };
};

describe("A-83 significance", () => {
  test.each([
    [7, 0.01],
    [24, 0.01],
    [40, 0.01],
    [40, 0.003],
    [40, 0.03],
  ])("of %i groups with the same rate %f one wins in at most 5 of 100 rounds", (count, rate) => {
    const random = createRandom(count);
    const rates = Array.from({ length: count }, () => rate);
    for (const span of [
      [1_000, 1_000],
      [1_000, 12_000],
    ] as [number, number][]) {
      const rounds = Array.from({ length: ROUNDS / 2 }, () => roundOf(random, rates, span));
      expect(rounds.filter(({ isSure }) => isSure).length / rounds.length).toBeLessThanOrEqual(0.05);
      expect(rounds.every(({ level }) => level > 0)).toBe(true);
    }
  });

  test.each([7, 24, 40])("of %i groups the one with three times the clicks is found", (count) => {
    const random = createRandom(count);
    const rates = Array.from({ length: count }, (_, at) => (at === 3 ? 0.03 : 0.01));
    const rounds = Array.from({ length: 200 }, () => roundOf(random, rates, [4_000, 12_000]));
    expect(rounds.filter(({ isSure, first }) => isSure && first === "3").length / rounds.length).toBeGreaterThan(0.95);
  });

  test("two equally good groups are above the others and tied with each other", () => {
    const groups = [seen(10_000, 400), seen(10_000, 400), seen(10_000, 100), seen(10_000, 90)];
    expect(standingOf(groups, totalOf(groups))).toEqual({ isSure: true, level: 1 });
  });

  test("more comparisons require a clearer lead", () => {
    const [one, other] = [seen(5_000, 75), seen(50_000, 500)];
    expect([1, 7, 40].map((evaluated) => isAbove(one, other, evaluated))).toEqual([true, true, false]);
  });

  // Five coin tosses fall on one side once in 32 times, six once in 64; the limit is one in 40.
  test("is exact for few and for very many clicks", () => {
    expect([isAbove(seen(1_000, 5), seen(1_000, 0), 1), isAbove(seen(1_000, 6), seen(1_000, 0), 1)]).toEqual([
      false,
      true,
    ]);
    expect(isAbove(seen(1e9, 1_010_000), seen(1e9, 1_000_000), 40)).toBe(true);
    expect(isAbove(seen(1e9, 1_001_000), seen(1e9, 1_000_000), 1)).toBe(false);
  });

  test("groups without impressions are neither above nor below", () => {
    expect([isAbove(seen(0, 0), seen(9, 1), 1), isAbove(seen(9, 1), seen(0, 0), 1)]).toEqual([false, false]);
    expect(standingOf([], seen(0, 0))).toEqual({ isSure: false, level: 0 });
  });
});
