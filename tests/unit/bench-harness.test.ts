import { describe, expect, test } from "vitest";
import { interleave, isTooNoisy, minCpuMs, type Sample, timesOf } from "#tests/bench/harness/interleave.ts";
import { noiseOf, percentile, ratioOf } from "#tests/bench/harness/statistics.ts";
import { tableText } from "#tests/bench/harness/table.ts";

describe("the benches' harness", () => {
  test("percentiles are values that occurred", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([percentile(values, 50), percentile(values, 99), percentile(values, 100)]).toEqual([100, 198, 200]);
    expect(percentile([7], 99)).toBe(7);
  });

  test("ratios are taken round by round, with minimum and maximum", () => {
    expect(ratioOf([10, 30, 20], [10, 10, 10])).toEqual({ median: 2, low: 1, high: 3 });
    expect(noiseOf(100, 120)).toBeCloseTo(0.2);
  });

  test("each round runs all four, starting with another one, until the time is up", async () => {
    const order: string[] = [];
    const runs = (name: string, cpuMs: number) => async (): Promise<Sample> => {
      order.push(name);
      return { cpuMs, timesMs: [cpuMs] };
    };
    const contenders = { ours: runs("A", 4), reference: runs("B", 8), baseline: runs("C", 2) };
    const rounds = await interleave(contenders, { rounds: 9, budgetMs: -1 });
    expect(order.join("")).toBe("ABACBACA");
    expect([minCpuMs(rounds.ours), minCpuMs(rounds.reference)]).toEqual([4, 8]);
    expect(timesOf(rounds.baseline)).toEqual([2, 2]);
    expect(isTooNoisy(rounds, ({ cpuMs }) => cpuMs)).toBe(false);
  });

  test("when our own runs differ, the result is inconclusive", () => {
    const of = (cpuMs: number): Sample[] => [{ cpuMs, timesMs: [] }];
    expect(isTooNoisy({ ours: of(100), again: of(130), reference: [], baseline: [] }, ({ cpuMs }) => cpuMs)).toBe(true);
  });

  test("a table has columns", () => {
    expect(
      tableText([
        ["queue", "p99 ms"],
        ["ours", 12],
      ]),
    ).toBe("queue  p99 ms\nours       12");
  });
});
