import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

export const LOGIN_LIFE_MS = 30 * DAY_MS;
export const VERIFICATION_LIFE_MS = 48 * HOUR_MS;
/**
 * How long a link for a new password lives. So many unused ones go out to one account whenever they are asked for; while
 * they live, one more follows after each pause, whoever asks.
 */
export const RESET_LIFE_MS = HOUR_MS;
export const RESET_LINKS_AT_ONCE = 5;
export const RESET_PAUSE_MS = 10 * MINUTE_MS;
/** How long the link of a change of address lives, and how many of them one user, and one new address, get in that time. */
export const EMAIL_CHANGE_LIFE_MS = 24 * HOUR_MS;
export const EMAIL_CHANGES_MAX = 5;
/** Pages that mails lead to; the token follows. */
export const VERIFICATION_PATH = "/verify-email/";
export const RESET_PATH = "/reset-password/";
export const EMAIL_CHANGE_PATH = "/change-email/";
/** When a login was last used is written down at most once in this time. */
export const USE_NOTED_MS = 15 * MINUTE_MS;
/** A device's name in the list of logins is cut to this. */
export const DEVICE_MAX = 60;
export const UNKNOWN_DEVICE = "Unknown device";
/** R-TIME-03 */
export const REGISTER_REDIRECT_MS = 3 * SECOND_MS;
/** R-TIME-05 */
export const RESET_REDIRECT_MS = 2 * SECOND_MS;
/** A verification mail is sent at most once in this time. */
export const RESEND_PAUSE_MS = MINUTE_MS;
