import { checkEmail, checkName } from "#lib/core/person.ts";

export const USERNAME_MIN = 3;
export const PASSWORD_MIN = 8;
const USERNAME_MAX = 40;
/** Leaves room for passphrases and rejects huge inputs before hashing. */
export const PASSWORD_MAX = 200;

export const REGISTER_FIELDS = ["first_name", "last_name", "username", "email", "password", "confirmPassword"] as const;
export type RegisterField = (typeof REGISTER_FIELDS)[number];
export type RegisterValues = Record<RegisterField, string>;
type RegisterErrors = Partial<Record<RegisterField, string>>;

const checkUsername = (value: string): string | undefined => {
  if (!value) return "Username is required";
  if (value.length < USERNAME_MIN) return "Username must be at least 3 characters";
  if (value.length > USERNAME_MAX) return `Username must be at most ${USERNAME_MAX} characters`;
  return /[\p{Cc}\p{Cf}]/u.test(value) ? "Username contains characters that can't be displayed" : undefined;
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

export const checkResetRequest = ({ email }: Record<"email", string>): Partial<Record<"email", string>> => {
  const wrong = checkEmail(email.trim());
  return wrong ? { email: wrong } : {};
};

/** Checked in the browser and again on the server. */
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

/** In display order. */
export const PASSWORD_RULES: readonly { key: string; label: string; holds(value: string): boolean }[] = [
  { key: "length", label: `At least ${PASSWORD_MIN} characters`, holds: (value) => value.length >= PASSWORD_MIN },
  { key: "uppercase", label: "An uppercase letter", holds: (value) => /\p{Lu}/u.test(value) },
  { key: "lowercase", label: "A lowercase letter", holds: (value) => /\p{Ll}/u.test(value) },
  { key: "digit", label: "A digit", holds: (value) => /\d/.test(value) },
  {
    key: "special",
    label: "A special character, like ! # ? &",
    holds: (value) => /[!@#$%^&*(),.?":{}|<>]/.test(value),
  },
];

export const PASSWORD_RULES_TEXT = "Please ensure your password meets all requirements.";

export const meetsPasswordRules = (value: string): boolean =>
  value.length <= PASSWORD_MAX && PASSWORD_RULES.every(({ holds }) => holds(value));

export const NEW_PASSWORD_FIELDS = ["newPassword", "confirmPassword"] as const;
export type NewPassword = Record<(typeof NEW_PASSWORD_FIELDS)[number], string>;

export const checkNewPassword = ({ newPassword, confirmPassword }: NewPassword): Partial<NewPassword> => {
  if (!meetsPasswordRules(newPassword)) return { newPassword: PASSWORD_RULES_TEXT };
  return newPassword === confirmPassword ? {} : { confirmPassword: "Passwords do not match." };
};

/** Shown whether or not the address is registered. */
export const resetSentText = (email: string): string =>
  `If an account exists with ${email}, you will receive password reset instructions.`;

/** Users who signed up with another service have a placeholder that starts with `!`, which no hash does. */
export const hasPassword = ({ passwordHash }: { passwordHash: string }): boolean => !passwordHash.startsWith("!");

/** The form in which emails and usernames must be unique. */
export const uniqueKey = (value: string): string => value.trim().normalize("NFKC").toLowerCase();

interface PasswordStrength {
  /** 0 (weak) to 4 (strong). */
  score: 0 | 1 | 2 | 3 | 4;
  label: "Too short" | "Weak" | "Fair" | "Good" | "Strong";
}

const STRENGTH_LABELS = ["Too short", "Weak", "Fair", "Good", "Strong"] as const;

/** Never blocks. */
export const passwordStrength = (value: string): PasswordStrength => {
  if (value.length < PASSWORD_MIN) return { score: 0, label: STRENGTH_LABELS[0] };
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(value)).length;
  const points = (kinds >= 3 ? 1 : 0) + (value.length >= 12 ? 1 : 0) + (value.length >= 16 || kinds === 4 ? 1 : 0);
  const score = points === 0 ? 1 : points === 1 ? 2 : points === 2 ? 3 : 4;
  return { score, label: STRENGTH_LABELS[score] };
};
