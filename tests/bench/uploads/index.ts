import type { Bench } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";
import { flood, SIZES } from "./flood.ts";
import { startUploads } from "./product.ts";

const AIM_PEAK_MB = 700;
/** While half a gigabyte arrives on the same machine, a small call may wait, but not stand still. */
const AIM_ANSWER_MS = 2_000;

/** The production build, sent many large images at once: what it costs at its worst, and whether it still answers. */
export const uploadsBench: Bench = {
  name: "uploads",
  what: `50 images of 10 MB at once: peak memory of the app under ${AIM_PEAK_MB} MB, other calls within ${AIM_ANSWER_MS} ms`,
  run: async ({ size, say }) => {
    const product = await startUploads();
    try {
      const idleMb = product.peakMb();
      const result = await flood(product, SIZES[size], say);
      const peakMb = product.peakMb();
      const isRight = result.drafts === SIZES[size].images && result.failed === 0;
      const isMet = peakMb <= AIM_PEAK_MB && result.slowestMs <= AIM_ANSWER_MS;
      return {
        verdict: isRight ? (isMet ? "met" : "missed") : "wrong",
        because: isRight
          ? `the app's memory never passed ${peakMb} MB, and every other call was answered within ${round(result.slowestMs, 0)} ms`
          : `${result.drafts} drafts and ${result.failed} failed calls came of ${SIZES[size].images} images`,
        table: [
          ["", "images", "MB sent", "peak MB", "aim", "seconds", "other calls p50 ms", "slowest ms"],
          [
            size,
            SIZES[size].images,
            round(result.sentMb, 0),
            peakMb,
            AIM_PEAK_MB,
            round(result.seconds, 1),
            round(result.middleMs, 0),
            round(result.slowestMs, 0),
          ],
        ],
        figures: { idleMb, peakMb, ...result },
      };
    } finally {
      await product.stop();
    }
  },
};
