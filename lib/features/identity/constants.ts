import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

export const LOGIN_LIFETIME_MS = 30 * DAY_MS;
export const VERIFICATION_LIFETIME_MS = 48 * HOUR_MS;
export const RESET_LIFETIME_MS = HOUR_MS;
/** With this many unused reset links, an account gets another one only after each pause. */
export const RESET_LINKS_MAX = 5;
export const RESET_PAUSE_MS = 10 * MINUTE_MS;
/** Also the time in which a user or a new address can get a limited number of links. */
export const EMAIL_CHANGE_LIFETIME_MS = 24 * HOUR_MS;
export const EMAIL_CHANGES_MAX = 5;
export const VERIFICATION_PATH = "/verify-email/";
export const RESET_PATH = "/reset-password/";
export const EMAIL_CHANGE_PATH = "/change-email/";
/** `lastUsedAt` of a login is updated at most once per interval. */
export const LAST_USED_PRECISION_MS = 15 * MINUTE_MS;
export const DEVICE_MAX = 60;
export const UNKNOWN_DEVICE = "Unknown device";
export const REGISTER_REDIRECT_MS = 3 * SECOND_MS;
export const RESET_REDIRECT_MS = 2 * SECOND_MS;
export const RESEND_PAUSE_MS = MINUTE_MS;
/** How long a sign-in, or confirming it again, allows sensitive changes. */
export const CONFIRMATION_LIFETIME_MS = 10 * MINUTE_MS;
export const CHALLENGE_LIFETIME_MS = 10 * MINUTE_MS;
export const CHALLENGE_ATTEMPTS_MAX = 5;
export const SECURITY_LOG_SHOWN = 50;
/** In our own pages. Other clients keep their token as long as its login lasts. */
export const ACCESS_RENEWAL_MS = DAY_MS;
/** How long calls may still bring the token that was renewed. */
export const ACCESS_OVERLAP_MS = 5 * MINUTE_MS;
/** Emails about sign-ins in a new browser, a day per user. */
export const NEW_DEVICE_EMAILS_MAX = 5;
