import { describe, expect, test } from "vitest";
import { type Group, isAbove, NOTHING, rank, type Seen, standOf } from "#lib/features/analytics/policy.ts";
import { createRandom } from "#tests/support/random.ts";

type Random = ReturnType<typeof createRandom>;

const ROUNDS = 1_000;

/** How many of so many sightings are clicked at a rate: the gaps between clicks are exponential. */
const clicksOf = (random: Random, impressions: number, rate: number): number => {
  let clicks = -1;
  for (let at = 0; at < impressions; clicks += 1) at += -Math.log(1 - random.below(1_000_000) / 1_000_000) / rate;
  return clicks;
};

const seen = (impressions: number, outboundClicks: number): Seen => ({ impressions, outboundClicks });

const totalOf = (groups: readonly Seen[]): Seen =>
  seen(
    groups.reduce((sum, { impressions }) => sum + impressions, 0),
    groups.reduce((sum, { outboundClicks }) => sum + outboundClicks, 0),
  );

const roundOf = (random: Random, rates: readonly number[], [least, most]: [number, number]) => {
  const groups = rates.map((rate, at): Group => {
    const impressions = least + random.below(most - least + 1);
    const outboundClicks = clicksOf(random, impressions, rate);
    return { key: `${at}`, label: null, pins: 1, countedPins: 1, sums: { ...NOTHING, impressions, outboundClicks } };
  });
  const judged = rank(groups);
  const sums = judged.map((group) => group.sums);
  return { first: judged[0]?.key, ...standOf(sums, totalOf(sums)) };
};

describe("A-83 luck makes no winner", () => {
  test.each([
    [7, 0.01],
    [24, 0.01],
    [40, 0.01],
    [40, 0.003],
    [40, 0.03],
  ])("of %i groups that are all clicked at %f one is called the best in at most 5 of 100 rounds", (count, rate) => {
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

  test.each([7, 24, 40])("of %i groups the one that is clicked three times as often is found", (count) => {
    const random = createRandom(count);
    const rates = Array.from({ length: count }, (_, at) => (at === 3 ? 0.03 : 0.01));
    const rounds = Array.from({ length: 200 }, () => roundOf(random, rates, [4_000, 12_000]));
    expect(rounds.filter(({ isSure, first }) => isSure && first === "3").length / rounds.length).toBeGreaterThan(0.95);
  });

  test("two that are equally good are above the others, and level with each other", () => {
    const groups = [seen(10_000, 400), seen(10_000, 400), seen(10_000, 100), seen(10_000, 90)];
    expect(standOf(groups, totalOf(groups))).toEqual({ isSure: true, level: 1 });
  });

  test("the more are compared, the clearer a lead must be", () => {
    const [one, other] = [seen(5_000, 75), seen(50_000, 500)];
    expect([1, 7, 40].map((judged) => isAbove(one, other, judged))).toEqual([true, true, false]);
  });

  // Five tosses in a row fall on one side once in 32 times, six once in 64: the limit is one in 40.
  test("is exact with few clicks, and with very many", () => {
    expect([isAbove(seen(1_000, 5), seen(1_000, 0), 1), isAbove(seen(1_000, 6), seen(1_000, 0), 1)]).toEqual([
      false,
      true,
    ]);
    expect(isAbove(seen(1e9, 1_010_000), seen(1e9, 1_000_000), 40)).toBe(true);
    expect(isAbove(seen(1e9, 1_001_000), seen(1e9, 1_000_000), 1)).toBe(false);
  });

  test("what was not seen is above nothing, and nothing is above it", () => {
    expect([isAbove(seen(0, 0), seen(9, 1), 1), isAbove(seen(9, 1), seen(0, 0), 1)]).toEqual([false, false]);
    expect(standOf([], seen(0, 0))).toEqual({ isSure: false, level: 0 });
  });
});
