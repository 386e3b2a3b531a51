import type { BenchResult } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";

/** A list of 10,000 pins may take this much longer than one of 100. */
export const FLAT_MAX = 1.5;

/** Durations of a scenario at one size, next to the bare query for the same rows. */
export interface Measured {
  scenario: string;
  /** It includes the total number of pins, which no index makes constant. */
  isCounting: boolean;
  size: number;
  oursMs: number;
  medianMs: number;
  bareMs: number;
  isNoisy: boolean;
  isRight: boolean;
}

/** How much longer the largest list takes than the smallest, for the product and for the bare query. */
const growthOf = (own: readonly Measured[]): { ours: number; bare: number } => {
  const [first, last] = [own.at(0), own.at(-1)];
  if (!first || !last) throw new Error("Nothing was measured.");
  return { ours: last.oursMs / first.oursMs, bare: last.bareMs / first.bareMs };
};

/**
 * Flat scenarios take no longer on a larger list; only counting scenarios may grow with the bare query.
 * `all`: the sizes of each scenario, smallest first.
 */
export const evaluate = (all: readonly Measured[]): Pick<BenchResult, "verdict" | "reason"> => {
  const wrong = all.filter(({ isRight }) => !isRight);
  if (wrong.length > 0) {
    return {
      verdict: "wrong",
      reason: wrong.map(({ scenario, size }) => `${scenario} of ${size}: other pins`).join("; "),
    };
  }
  const growth = [...Map.groupBy(all, ({ scenario }) => scenario)].map(([name, own]) => {
    const { ours, bare } = growthOf(own);
    const isFlat = ours <= FLAT_MAX * (own.some(({ isCounting }) => isCounting) ? Math.max(1, bare) : 1);
    return { text: `${name}  × ${round(ours, 2)} (bare × ${round(bare, 2)})`, isFlat };
  });
  const reason = `from 100 to 10,000 pins: ${growth.map(({ text }) => text).join(", ")}`;
  if (growth.every(({ isFlat }) => isFlat)) return { verdict: "met", reason };
  return { verdict: all.some(({ isNoisy }) => isNoisy) ? "inconclusive" : "missed", reason };
};
