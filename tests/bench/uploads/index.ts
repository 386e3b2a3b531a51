import type { Bench } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import { flood, SIZES } from "./flood.ts";
import { startUploads } from "./product.ts";

const MAX_PEAK_MB = 700;
/** While half a gigabyte arrives at the same machine, a small request may wait, but not this long. */
const MAX_RESPONSE_MS = 2_000;

/** Sends many large images at once to the production build, and measures its peak memory and its response times. */
export const uploadsBench: Bench = {
  name: "uploads",
  what: `50 images of 10 MB at once: target: peak memory of the app under ${MAX_PEAK_MB} MB, other requests within ${MAX_RESPONSE_MS} ms`,
  run: async ({ size, log }) => {
    const product = await startUploads();
    try {
      const idleMb = product.peakMb();
      const result = await flood(product, SIZES[size], log);
      const peakMb = product.peakMb();
      const isRight = result.drafts === SIZES[size].images && result.failed === 0;
      const isMet = peakMb <= MAX_PEAK_MB && result.slowestMs <= MAX_RESPONSE_MS;
      return {
        verdict: isRight ? (isMet ? "met" : "missed") : "wrong",
        reason: isRight
          ? `the app's memory peaked at ${peakMb} MB, and every other request took at most ${round(result.slowestMs, 0)} ms`
          : `${SIZES[size].images} images led to ${result.drafts} drafts and ${result.failed} failed requests`,
        table: [
          ["", "images", "MB sent", "peak MB", "target", "seconds", "other requests p50 ms", "slowest ms"],
          [
            size,
            SIZES[size].images,
            round(result.sentMb, 0),
            peakMb,
            MAX_PEAK_MB,
            round(result.seconds, 1),
            round(result.medianMs, 0),
            round(result.slowestMs, 0),
          ],
        ],
        metrics: { idleMb, peakMb, ...result },
      };
    } finally {
      await product.stop();
    }
  },
};
