import "server-only";

/** Kept apart from `texts.ts` to stay out of the browser bundle. */
export const MESSAGES = {
  registered: "Registration successful, please verify your email.",
  usernameTaken: "This username is already taken",
  sentAgain: "We sent you a new link.",
  justSent: "We sent you a link less than a minute ago. Please check your inbox.",
  notSent: "We couldn't send the email. Please try again.",
  alreadyVerified: "Your email is already confirmed.",
  emailTaken: "An account with this email already exists",
  passwordReset: "Your password has been reset. Please sign in.",
  confirmEmailFirst: "Confirm your email first. Open the link we emailed you, or send the email again.",
  wrongPassword: "That isn't your current password",
  manyEmailChanges: "You've requested too many email changes today. Please try again tomorrow.",
  manyToEmail: "We've sent too many emails to this address today. Please try again tomorrow.",
  sameEmail: "This is already your email",
  currentLogin: "This is the device you're using now. To sign out here, select Logout in the menu.",
} as const;
