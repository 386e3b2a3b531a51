import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";

/** How long one who sends a mail is left alone: longer than the mail client tries. */
export const SENDING_LEASE_MS = 2 * MINUTE_MS;

/** After so long the sweep has a mail sent that nobody has sent; each time after twice as long, up to the longest. */
export const FORGOTTEN_FIRST_MS = 2 * MINUTE_MS;
export const FORGOTTEN_LONGEST_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 200;
