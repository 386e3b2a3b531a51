import type { GetStepTools } from "inngest";
import { SECOND_MS } from "#lib/core/time.ts";
import type { inngest } from "./client.ts";

/** Cron can't be finer than a minute. */
const SCANS_PER_MINUTE = 4;
export const SCAN_GAP_MS = 15 * SECOND_MS;

/** Runs `scan` every 15 seconds of a minute, as steps of a function that a cron starts every minute. */
export const scanEveryQuarterMinute = async (
  step: Pick<GetStepTools<typeof inngest>, "run" | "sleep">,
  scan: (round: number) => Promise<unknown>,
): Promise<void> => {
  for (let round = 0; round < SCANS_PER_MINUTE; round += 1) {
    if (round > 0) await step.sleep(`gap-${round}`, SCAN_GAP_MS);
    await step.run(`scan-${round}`, () => scan(round));
  }
};
