import type { Bench } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import { startProduct } from "./product.ts";
import { type Measured, runScenarios, SLOTS } from "./scenarios.ts";

const isReached = ({ ratio, target, isBetterHigh }: Measured): boolean =>
  isBetterHigh ? ratio >= target : ratio <= target;

const toRow = (item: Measured): (string | number)[] => [
  item.scenario,
  item.meaning,
  round(item.ratio, 3),
  `${item.isBetterHigh ? "at least" : "at most"} ${item.target}`,
  item.detail,
];

/**
 * The whole product over HTTP, with its executor, against a provider of fixed latency and limits. The ideal is
 * arithmetic: min(quota, parallel calls / latency).
 */
export const generateBench: Bench = {
  name: "generate",
  what: "generating pins, as a share of what the provider's limits allow; targets: 0.95, and 1.2 for the slowest of ten users",
  run: async ({ size, log }) => {
    const product = await startProduct(SLOTS);
    try {
      const measured = await runScenarios(product, size, log);
      const missed = measured.filter((item) => !isReached(item));
      return {
        verdict: missed.length === 0 ? "met" : "missed",
        reason:
          missed.length === 0 ? "every target is met" : `missed: ${missed.map(({ scenario }) => scenario).join("; ")}`,
        table: [["", "", "ratio", "target", ""], ...measured.map(toRow)],
        metrics: Object.fromEntries(measured.map(({ scenario, ratio }) => [scenario, round(ratio, 3)])),
      };
    } finally {
      await product.stop();
    }
  },
};
