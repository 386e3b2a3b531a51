import { getToken } from "./browser-storage.ts";

// A check that failed for a passing reason leaves the token in place. /login must not exchange it at once, or the
// two pages would send each other back and forth. A check that passes, or a reload, lifts the pause.
let isPaused = false;

/** Whether /login should leave the stored token alone. */
export function isExchangePaused(): boolean {
  return isPaused;
}

// Logging out ends the session for requests under way as well: their failures are no expired session, and the screen
// they belong to is not where the next login should lead.
let isLoggingOut = false;

/** From now on, until there is a token again, failures of requests belong to a session that its user has ended. */
export function noteLogout(): void {
  isLoggingOut = true;
}

/** Whether its user has ended the session, and none has begun since. */
export const hasLoggedOut = (): boolean => isLoggingOut && getToken() === null;

/** An auth check has failed for another reason than a dead token. */
export function pauseExchange(): void {
  isPaused = true;
}

/** The auth check has passed: the stored token may be exchanged again. */
export function resumeExchange(): void {
  isPaused = false;
  isLoggingOut = false;
}
