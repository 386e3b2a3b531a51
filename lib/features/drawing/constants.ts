import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** On this channel the database tells every process which call was given a place. */
export const DRAWING_CHANNEL = "drawing";

/** A lease ends so long after its holder last renewed it … */
export const LEASE_MS = 15 * SECOND_MS;
/** … which a living holder does this often … */
export const RENEW_MS = 4 * SECOND_MS;
/** … and one that cannot ends its call by then, so that no other begins while it runs. */
export const ABANDON_MS = 11 * SECOND_MS;

/** A waiting call looks this often whether it was given a place, in case nobody woke it … */
export const LOOK_MS = 2 * SECOND_MS;
/** … sooner while places are given after a pause, but no sooner than this … */
export const LOOK_LEAST_MS = 250;
/** … and counts as gone when it did not look for so long. */
export const PRESENT_MS = 8 * SECOND_MS;

/** Longest wait within one call of the durable engine. */
export const WAIT_MS = MINUTE_MS;
/** Who goes away without a place comes again after so many seconds. */
export const AGAIN_SECONDS = 2;

/** After the provider asked for a pause, places are given one at a time for so long. */
export const PACED_MS = 10 * SECOND_MS;
/** Shortest and longest time between two of them. */
export const GAP_MS = { least: 25, most: 250 } as const;
