import { DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** Most are literal in the requirements. */
export const TEXTS = {
  confirmRemove: "Are you sure you want to remove this account?",
  connected: "Pinterest account connected successfully!",
  removed: "Pinterest account removed.",
  disconnected:
    "This account needs to be reconnected. Its scheduled pins are on hold and will publish once you reconnect.",
  renewalFailed: (day: string) =>
    `Pinterest hasn't renewed this account's connection. Reconnect it by ${day} so its scheduled pins publish on time.`,
  loadFailed: "Failed to fetch Pinterest accounts",
  sectionsFailed: "We couldn't load the sections of this board.",
  boardsFailed: "Failed to fetch boards",
  noBoards: "No boards",
} as const;

export const BANNER_MS = 10_000;

export const REQUIRED_SCOPES = [
  "boards:read",
  "boards:write",
  "pins:read",
  "pins:write",
  "user_accounts:read",
] as const;

/** The user may decline these. */
export const SECRET_SCOPES = [
  "boards:read_secret",
  "boards:write_secret",
  "pins:read_secret",
  "pins:write_secret",
] as const;

/** Asked for only when the operator's app may use it. The user may decline it. */
export const RELATED_TERMS_SCOPE = "ads:read";

export const CONSENT_LIFETIME_MS = 10 * MINUTE_MS;

export const LIVE_READ_MS = MINUTE_MS;

export const REFRESH_EARLY_MS = DAY_MS;

/** Accounts with scheduled pins are renewed when their refresh token has less than this left. */
export const RENEWAL_AHEAD_MS = 14 * DAY_MS;
/** With less than this left, a renewal that keeps failing temporarily is reported to the user. */
export const RENEWAL_WARNING_MS = 7 * DAY_MS;

/** Longer than the renewal call can take. */
export const REFRESH_LEASE_SECONDS = 30;

export const REFRESH_WAIT = { everyMs: 200, atMostMs: 20 * SECOND_MS } as const;

/** Binds each consent to the browser that started it. */
export const CONNECTION_COOKIE = "pinterest_connect";

export const CALLBACK_PATH = "/api/users/pinterest/callback/";
export const ACCOUNTS_PATH = "/app/";

/** By the `error` value of `/app/?error=`. */
export const CONNECTION_FAILURES = {
  denied: "You declined the connection on Pinterest. Nothing was changed.",
  state: "That connection request has expired. Please connect again from this browser.",
  limit: "Your plan doesn't include another Pinterest account. Upgrade to connect more.",
  scopes: "Some permissions are missing. Please connect again and allow all of them.",
  other_account: "That's a different Pinterest account. Please log in to the right one on Pinterest and try again.",
  unavailable: "Pinterest isn't responding. Please try again in a moment.",
  failed: "Pinterest rejected the connection. Please try again.",
} as const;

export type ConnectionFailure = keyof typeof CONNECTION_FAILURES;
