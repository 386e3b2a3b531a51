// A check that failed for a passing reason leaves the token in place. /login must not exchange it at once, or the
// two pages would send each other back and forth. A check that passes, or a reload, lifts the pause.
let isPaused = false;

/** Whether /login should leave the stored token alone. */
export function isExchangePaused(): boolean {
  return isPaused;
}

/** An auth check has failed for another reason than a dead token. */
export function pauseExchange(): void {
  isPaused = true;
}

/** The auth check has passed: the stored token may be exchanged again. */
export function resumeExchange(): void {
  isPaused = false;
}
