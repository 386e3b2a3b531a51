/**
 * What the public pages promise and the product does not do yet. A page chooses its wording by the flag, so that each
 * sentence is true on the day it is read. Whoever ships the thing sets its flag, then deletes flag and wording.
 */
export const CLAIMS: {
  /** Paid plans and credit packs can be bought (R-PRICE-11, R-BUY-08). */
  readonly plansOnSale: boolean;
  /** Pins made by hand from own pictures (R-ROUTE-21). */
  readonly manualPins: boolean;
  /** The extractor of short videos (R-GEN-03). */
  readonly videoTool: boolean;
  /** Figures of published pins. */
  readonly analytics: boolean;
  /** Search over everything that was ever made (R-FEAT-02). */
  readonly library: boolean;
} = { plansOnSale: false, manualPins: false, videoTool: false, analytics: false, library: false };

/** The word on the chip beside something that is not there yet. */
export const COMING = "Coming";
