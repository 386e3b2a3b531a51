import { EMAIL_MAX, NAME_MAX, PASSWORD_MAX, PASSWORD_MIN, USERNAME_MAX, USERNAME_MIN } from "./constants.ts";
import { TEXTS } from "./texts.ts";

/** The six fields of the register form, by the payload's names (R-REG-01). */
export const REGISTER_FIELDS = ["first_name", "last_name", "username", "email", "password", "confirmPassword"] as const;
export type RegisterField = (typeof REGISTER_FIELDS)[number];
export type RegisterValues = Record<RegisterField, string>;
export type RegisterErrors = Partial<Record<RegisterField, string>>;

const EMAIL_SHAPE = /^[^\s@<>"(),:;[\]\\]+@[^\s@<>"(),:;[\]\\.]+(\.[^\s@<>"(),:;[\]\\.]+)+$/;
/** Nothing that cannot be seen: it would make two addresses look alike. */
const UNSEEN = /[\p{Cc}\p{Cf}]/u;

/** Whether a text is shaped like a mail address (R-REG-07). */
export const isEmailShaped = (value: string): boolean =>
  value.length <= EMAIL_MAX && EMAIL_SHAPE.test(value) && !UNSEEN.test(value);

const checkUsername = (value: string): string | undefined => {
  if (!value) return "Username is required";
  if (value.length < USERNAME_MIN) return "Username must be at least 3 characters";
  if (value.length > USERNAME_MAX) return `Username must be at most ${USERNAME_MAX} characters`;
  return /[\p{Cc}\p{Cf}]/u.test(value) ? "Username contains characters that cannot be shown" : undefined;
};

/** What is wrong with the name of a person; nothing, when it is undefined. */
export const checkName = (value: string, label: string): string | undefined => {
  if (!value) return `${label} is required`;
  if (value.length > NAME_MAX) return `${label} must be at most ${NAME_MAX} characters`;
  // Names stand in mails to an address that nobody has confirmed yet: no lines and no addresses of their own.
  const isPlain = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|:\/\/|www\./iu.test(value);
  return isPlain ? undefined : `${label} contains characters that cannot be used in a name`;
};

/** What is wrong with a mail address (R-REG-06, R-REG-07, R-FPW-01); nothing, when it is undefined. */
export const checkEmail = (value: string): string | undefined => {
  if (!value) return "Email is required";
  return isEmailShaped(value) ? undefined : "Invalid email format";
};

const checkPassword = (value: string): string | undefined => {
  if (!value) return "Password is required";
  if (value.length < PASSWORD_MIN) return "Password must be at least 8 characters";
  return value.length > PASSWORD_MAX ? `Password must be at most ${PASSWORD_MAX} characters` : undefined;
};

const checkConfirmation = (value: string, password: string): string | undefined => {
  if (!value) return "Please confirm your password";
  return value === password ? undefined : "Passwords do not match";
};

/** What is wrong with the address that a reset link is asked for (R-FPW-01). */
export const checkResetRequest = ({ email }: Record<"email", string>): Partial<Record<"email", string>> => {
  const wrong = checkEmail(email.trim());
  return wrong ? { email: wrong } : {};
};

/** The rules of R-REG-02 to R-REG-11, the same in the browser and on the server. Empty when all hold. */
export const checkRegistration = (values: RegisterValues): RegisterErrors => {
  const errors: Record<RegisterField, string | undefined> = {
    first_name: checkName(values.first_name.trim(), "First name"),
    last_name: checkName(values.last_name.trim(), "Last name"),
    username: checkUsername(values.username.trim()),
    email: checkEmail(values.email.trim()),
    password: checkPassword(values.password),
    confirmPassword: checkConfirmation(values.confirmPassword, values.password),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, text]) => text !== undefined));
};

/** R-RPW-02: what a new password needs, in the order in which a form lists it. */
export const PASSWORD_RULES: readonly { key: string; label: string; holds(value: string): boolean }[] = [
  { key: "length", label: `At least ${PASSWORD_MIN} characters`, holds: (value) => value.length >= PASSWORD_MIN },
  { key: "uppercase", label: "An uppercase letter", holds: (value) => /\p{Lu}/u.test(value) },
  { key: "lowercase", label: "A lowercase letter", holds: (value) => /\p{Ll}/u.test(value) },
  { key: "digit", label: "A digit", holds: (value) => /\d/.test(value) },
  {
    key: "special",
    label: "A special character, such as ! # ? &",
    holds: (value) => /[!@#$%^&*(),.?":{}|<>]/.test(value),
  },
];

/** Whether a new password meets all rules, and is not longer than one may be (R-RPW-02, R-RPW-03). */
export const meetsPasswordRules = (value: string): boolean =>
  value.length <= PASSWORD_MAX && PASSWORD_RULES.every(({ holds }) => holds(value));

/** The fields of the form that chooses a new password. */
export const NEW_PASSWORD_FIELDS = ["newPassword", "confirmPassword"] as const;
export type NewPassword = Record<(typeof NEW_PASSWORD_FIELDS)[number], string>;

/** What is wrong with a new password that was typed twice (R-RPW-03, R-RPW-04). Empty when all is well. */
export const checkNewPassword = ({ newPassword, confirmPassword }: NewPassword): Partial<NewPassword> => {
  if (!meetsPasswordRules(newPassword)) return { newPassword: TEXTS.passwordRules };
  return newPassword === confirmPassword ? {} : { confirmPassword: TEXTS.passwordsDiffer };
};

/** R-FPW-03: the same whether or not the address exists. */
export const resetSentText = (email: string): string =>
  `If an account exists with ${email}, you will receive password reset instructions.`;

/** The form under which a mail address or username is unique. */
export const uniqueKey = (value: string): string => value.trim().normalize("NFKC").toLowerCase();

export interface PasswordStrength {
  /** 0 (weak) to 4 (strong). */
  score: 0 | 1 | 2 | 3 | 4;
  label: "Too short" | "Weak" | "Fair" | "Good" | "Strong";
}

const STRENGTH_LABELS = ["Too short", "Weak", "Fair", "Good", "Strong"] as const;

/** A hint beside the register form that never blocks. */
export const passwordStrength = (value: string): PasswordStrength => {
  if (value.length < PASSWORD_MIN) return { score: 0, label: STRENGTH_LABELS[0] };
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(value)).length;
  const points = (kinds >= 3 ? 1 : 0) + (value.length >= 12 ? 1 : 0) + (value.length >= 16 || kinds === 4 ? 1 : 0);
  const score = points === 0 ? 1 : points === 1 ? 2 : points === 2 ? 3 : 4;
  return { score, label: STRENGTH_LABELS[score] };
};
