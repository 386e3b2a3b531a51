import "server-only";

/** Literal texts that only the server says (R-REG, R-LOGIN, R-AUTH, A-10); a browser gets them in answers. */
export const ANSWERS = {
  registered: "Registration successful, please verify your email.",
  usernameTaken: "This username is already taken",
  sentAgain: "We sent you a new link.",
  justSent: "We sent you a link less than a minute ago. Please look into your inbox.",
  notSent: "The mail could not be sent just now. Please try again.",
  alreadyVerified: "Your address is confirmed already.",
  emailTaken: "An account with this email already exists",
  passwordReset: "Your password has been reset. Please log in.",
  wrongPassword: "This is not your present password",
  manyEmailChanges: "You asked for this several times today. Please try again tomorrow.",
  manyToEmail: "This address got several of these mails today. Please try again tomorrow.",
  sameEmail: "This is your email already",
  currentLogin: "This is the login you are using. Log out instead.",
} as const;
