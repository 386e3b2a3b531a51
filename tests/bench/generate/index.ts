import type { Bench } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import { startProduct } from "./product.ts";
import { type Measured, PLACES, runScenes } from "./scenes.ts";

const isReached = ({ ratio, aim, isBetterHigh }: Measured): boolean => (isBetterHigh ? ratio >= aim : ratio <= aim);

const toRow = (one: Measured): (string | number)[] => [
  one.scene,
  one.says,
  round(one.ratio, 3),
  `${one.isBetterHigh ? "at least" : "at most"} ${one.aim}`,
  one.detail,
];

/**
 * The whole product over HTTP, with its executor, against a provider of fixed latency and limits: the ideal is
 * arithmetic, min(quota, calls at once / latency), so that there is nothing to run beside it but the clock.
 */
export const generateBench: Bench = {
  name: "generate",
  what: "making pins, as a share of what the provider's limits allow; aims 0.95, and 1.2 for the slowest of ten users",
  run: async ({ size, say }) => {
    const product = await startProduct(PLACES);
    try {
      const measured = await runScenes(product, size, say);
      const missed = measured.filter((one) => !isReached(one));
      return {
        verdict: missed.length === 0 ? "met" : "missed",
        because:
          missed.length === 0 ? "every aim is reached" : `not reached: ${missed.map(({ scene }) => scene).join("; ")}`,
        table: [["", "", "ratio", "aim", ""], ...measured.map(toRow)],
        figures: Object.fromEntries(measured.map(({ scene, ratio }) => [scene, round(ratio, 3)])),
      };
    } finally {
      await product.stop();
    }
  },
};
