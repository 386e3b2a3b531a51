import { GAP_MS } from "./constants.ts";

/** Milliseconds between two places given after a pause: half of what the provider asked for, within bounds. */
export const gapMsAfter = (waitMs: number): number =>
  Math.round(Math.min(GAP_MS.most, Math.max(GAP_MS.least, waitMs / 2)));
