import type { BenchResult } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";

/** A wall of 10,000 pins may take this much longer than one of 100. */
export const FLAT_MAX = 1.5;

/** What a moment took on a wall of that size, beside the bare query for the same rows. */
export interface Found {
  moment: string;
  /** It tells how many there are, which no index makes flat. */
  isCounting: boolean;
  size: number;
  oursMs: number;
  middleMs: number;
  bareMs: number;
  isNoisy: boolean;
  isRight: boolean;
}

/** How much longer the largest wall takes than the smallest, as the product's time and as the bare query's. */
const growthOf = (own: readonly Found[]): { ours: number; bare: number } => {
  const [first, last] = [own.at(0), own.at(-1)];
  if (!first || !last) throw new Error("Nothing was measured.");
  return { ours: last.oursMs / first.oursMs, bare: last.bareMs / first.bareMs };
};

/**
 * Flat is what takes no longer on a larger wall, whatever a bare query does there; only what counts may grow as the bare
 * query's count does. `all`: each moment's walls from the smallest on.
 */
export const judge = (all: readonly Found[]): Pick<BenchResult, "verdict" | "because"> => {
  const wrong = all.filter(({ isRight }) => !isRight);
  if (wrong.length > 0) {
    return {
      verdict: "wrong",
      because: wrong.map(({ moment, size }) => `${moment} of ${size}: other pins`).join("; "),
    };
  }
  const growth = [...Map.groupBy(all, ({ moment }) => moment)].map(([name, own]) => {
    const { ours, bare } = growthOf(own);
    const isFlat = ours <= FLAT_MAX * (own.some(({ isCounting }) => isCounting) ? Math.max(1, bare) : 1);
    return { words: `${name} × ${round(ours, 2)} (bare × ${round(bare, 2)})`, isFlat };
  });
  const because = `from 100 to 10,000 pins: ${growth.map(({ words }) => words).join(", ")}`;
  if (growth.every(({ isFlat }) => isFlat)) return { verdict: "met", because };
  return { verdict: all.some(({ isNoisy }) => isNoisy) ? "inconclusive" : "missed", because };
};
