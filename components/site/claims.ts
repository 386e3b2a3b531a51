/**
 * What the public pages promise and the product does not do yet. A page chooses its wording by the flag, so that each
 * sentence is true on the day it is read. Whoever ships the thing sets its flag, then deletes flag and wording.
 */
export const CLAIMS: {
  /** The extractor of short videos (R-GEN-03). */
  readonly videoTool: boolean;
  /** Figures of published pins. */
  readonly analytics: boolean;
} = { videoTool: false, analytics: false };

/** The word on the chip beside something that is not there yet. */
export const COMING = "Coming";
