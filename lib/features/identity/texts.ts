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
