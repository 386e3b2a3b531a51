import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** R-CONST-15 */
export const USERNAME_MIN = 3;
export const PASSWORD_MIN = 8;
export const USERNAME_MAX = 40;
export const NAME_MAX = 80;
export const EMAIL_MAX = 254;
/** Long passphrases are welcome; the bound keeps hashing cheap to refuse. */
export const PASSWORD_MAX = 200;

/** R-CONST-18 */
export const TOKEN_STORAGE_KEY = "accessToken";
/** cookie and header in one setting. */
export const CSRF_COOKIE = "csrftoken";
export const CSRF_HEADER = "X-CSRFToken";
/** Where the browser keeps the path that was asked for before login (R-AUTH-01). */
export const REMEMBERED_PATH_KEY = "rememberedPath";
/** The browser's time zone, for times in the user's zone from the first paint (DESIGN §8). */
export const TIME_ZONE_COOKIE = "tz";

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
/** R-TIME-02 */
export const NOTICE_MS = 3 * SECOND_MS;
/** A verification mail is sent at most once in this time. */
export const RESEND_PAUSE_MS = MINUTE_MS;

/** Literal texts of the identity screens and answers (R-REG, R-LOGIN, R-AUTH, R-FPW, R-RPW, A-10). */
export const TEXTS = {
  fixForm: "Please fix the form errors before submitting.",
  registered: "Registration successful, please verify your email.",
  registeredFallback: " please verify your email.",
  registrationFailed: "Registration failed",
  fillAllFields: "Please fill in all required fields.",
  loggedIn: "Login successful!",
  loginFailed: "An error occurred",
  sessionExpired: "Session expired. Please login again.",
  authFailed: "Authentication failed. Please login again.",
  usernameTaken: "This username is already taken",
  sentAgain: "We sent you a new link.",
  justSent: "We sent you a link less than a minute ago. Please look into your inbox.",
  notSent: "The mail could not be sent just now. Please try again.",
  alreadyVerified: "Your address is confirmed already.",
  emailTaken: "An account with this email already exists",
  resetSentTitle: "Check your email",
  tryAnotherEmail: "Try another email",
  backToLogin: "Back to login",
  resetFailedToSend: "Unable to send reset link. Please try again later.",
  invalidResetLink: "Invalid Reset Link",
  requestNewLink: "Request New Reset Link",
  passwordRules: "Please ensure your password meets all requirements.",
  passwordsDiffer: "Passwords do not match.",
  resetFailed: "Unable to reset password. The link may have expired.",
  passwordReset: "Your password has been reset. Please log in.",
  wrongPassword: "This is not your present password",
  passwordChanged: "Your password was changed. Other devices are logged out.",
  emailChangeSent: "We sent a link to the new address. It changes once you confirm it there.",
  manyEmailChanges: "You asked for this several times today. Please try again tomorrow.",
  manyToEmail: "This address got several of these mails today. Please try again tomorrow.",
  sameEmail: "This is your email already",
  emailChanged: "Your email was changed.",
  currentLogin: "This is the login you are using. Log out instead.",
  loginEnded: "That device is logged out.",
} as const;
