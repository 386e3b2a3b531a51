import { DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Literal texts of the accounts and boards screens (R-ACC, R-BRD, R-ERR-07, R-ERR-08). */
export const TEXTS = {
  confirmRemove: "Are you sure you want to remove this account?",
  connected: "Pinterest account connected successfully!",
  removed: "Pinterest account removed.",
  lost: "Pinterest asks for a new connection. Its scheduled pins wait for it and go out afterwards.",
  loadFailed: "Failed to fetch Pinterest accounts",
  boardsFailed: "Failed to fetch boards",
  noBoards: "No boards",
} as const;

/** R-TIME-04: the banner of a refused connection hides after this time. */
export const BANNER_MS = 10_000;

/** Without these the product cannot do its work (BRIEF §1). */
export const REQUIRED_SCOPES = [
  "boards:read",
  "boards:write",
  "pins:read",
  "pins:write",
  "user_accounts:read",
] as const;

/** Asked for on top, so that secret boards show; their refusal is accepted. */
export const SECRET_SCOPES = [
  "boards:read_secret",
  "boards:write_secret",
  "pins:read_secret",
  "pins:write_secret",
] as const;

/** How long a consent may take, and how long its cookie lives. */
export const CONSENT_LIFE_MS = 10 * MINUTE_MS;

/** Live reads are kept at most this long, in memory only (D8). */
export const LIVE_READ_MS = MINUTE_MS;

/** Tokens are renewed this long before they expire (R-SRV-05). */
export const REFRESH_EARLY_MS = DAY_MS;

/** How long one worker alone may renew an account's tokens: longer than the call can take. */
export const REFRESH_LEASE_SECONDS = 30;

/** How a worker waits for another one's renewal when its own token is dead. */
export const REFRESH_WAIT = { everyMs: 200, atMostMs: 20 * SECOND_MS } as const;

/** Name of the cookies that bind a consent to the browser that began it; one for each consent. */
export const CONNECTION_COOKIE = "pinterest_connect";

/** Address of the callback below the public origin, and of the screen it ends on. */
export const CALLBACK_PATH = "/api/users/pinterest/callback/";
export const ACCOUNTS_PATH = "/app/";

/** Why a connection did not come about: the `error` value of `/app/?error=`, and what the notice says. */
export const CONNECTION_FAILURES = {
  denied: "The connection was declined at Pinterest. Nothing was changed.",
  state: "This connection link is no longer valid. Please connect again from this browser.",
  limit: "Your plan does not allow another connected Pinterest account.",
  scopes: "Pinterest did not grant everything that is needed. Please connect again and allow all permissions.",
  other_account: "That was a different Pinterest account. Please log in to the right one at Pinterest and try again.",
  unavailable: "Pinterest is not answering. Please try again in a moment.",
  failed: "Pinterest refused the connection. Please try again.",
} as const;

export type ConnectionFailure = keyof typeof CONNECTION_FAILURES;
