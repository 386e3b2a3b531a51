export const RECOVERY_CODES = 10;
export const RECOVERY_CODE_DIGITS = 12;
export const CODE_DIGITS = 6;
export const CODE_PERIOD_SECONDS = 30;
export const PASSKEYS_MAX = 10;
export const PASSKEY_NAME_MAX = 60;
export const VERIFY_PATH = "/login/verify";
/** Ways for users to confirm their identity, the quickest first. */
export const CONFIRMATION_METHODS = ["passkey", "password", "code"] as const;
export type ConfirmationMethod = (typeof CONFIRMATION_METHODS)[number];
