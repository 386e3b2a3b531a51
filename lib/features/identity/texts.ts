/** Most are literal in the requirements. */
export const TEXTS = {
  fixForm: "Please fix the form errors before submitting.",
  registeredFallback: " please verify your email.",
  registrationFailed: "Registration failed",
  sessionExpired: "Session expired. Please login again.",
  authFailed: "Authentication failed. Please login again.",
  resetSentTitle: "Check your email",
  tryAnotherEmail: "Try another email",
  backToLogin: "Back to login",
  resetFailedToSend: "Unable to send reset link. Please try again later.",
  invalidResetLink: "Invalid Reset Link",
  requestNewLink: "Request New Reset Link",
  resetFailed: "Unable to reset password. The link may have expired.",
} as const;

/** By the `error` in the URL after a sign-in with Google. */
export const GOOGLE_FAILURES = {
  google_declined: "You canceled signing in with Google.",
  google_failed: "Signing in with Google didn't work. Please try again.",
  google_unverified: "Google hasn't confirmed that email address. Please sign up with your email instead.",
  google_exists:
    "You already have an account with this email. Sign in with your password, then connect Google in Settings.",
  google_unknown: "There's no account for that Google account yet. Select “Continue with Google” to create one.",
  google_taken: "That Google account is already connected to another account, or yours has one already.",
} as const;
export type GoogleFailure = keyof typeof GOOGLE_FAILURES;

/** Null for any other value. */
export const googleFailureText = (value: string | null): string | null =>
  value !== null && Object.hasOwn(GOOGLE_FAILURES, value) ? GOOGLE_FAILURES[value as GoogleFailure] : null;
