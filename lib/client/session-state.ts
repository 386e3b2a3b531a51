import { getToken } from "./browser-storage.ts";

// A check that failed temporarily leaves the token in place. /login must not exchange it at once, or the two pages
// would redirect to each other forever. A successful check or a reload ends the pause.
let isPaused = false;

export function isTokenExchangePaused(): boolean {
  return isPaused;
}

// Requests that fail because the user logged out must not show "session expired" or set the path for the next login.
let isLoggingOut = false;

export function noteLogout(): void {
  isLoggingOut = true;
}

export const hasLoggedOut = (): boolean => isLoggingOut && getToken() === null;

/** Call when an auth check failed for another reason than an expired token. */
export function pauseTokenExchange(): void {
  isPaused = true;
}

export function resumeTokenExchange(): void {
  isPaused = false;
  isLoggingOut = false;
}
