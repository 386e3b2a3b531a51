import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";

/** Failed sign-ins in a row, from all addresses together, before the next one must wait. */
export const FREE_FAILURES = 10;
/** The wait doubles from a second with each further failure. */
export const SIGN_IN_WAIT_MAX_MS = 15 * MINUTE_MS;
/** After this long without a failure, counting starts again. */
export const FAILURES_FORGOTTEN_MS = DAY_MS;
