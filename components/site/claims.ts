/**
 * What the public pages promise and the product does not do yet. A page chooses its wording by the flag, so that each
 * sentence is true on the day it is read. Whoever ships the thing sets its flag, then deletes flag and wording.
 */
export const CLAIMS: {
  /** Figures of published pins. */
  readonly analytics: boolean;
} = { analytics: false };

/** The word on the chip beside something that is not there yet. */
export const COMING = "Coming";
