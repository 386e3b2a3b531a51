import { CODE_DIGITS, RECOVERY_CODE_DIGITS } from "./constants.ts";

export const CODE_FIELDS = ["code"] as const;

/** As it is stored and compared: typed codes may contain spaces and hyphens, and digits of other scripts' keyboards. */
export const plainCode = (typed: string): string => typed.normalize("NFKC").replace(/[\s\p{Pd}]/gu, "");

/** Null: neither code has this form. */
export const kindOfCode = (code: string): "app" | "recovery" | null => {
  if (!/^\d+$/.test(code)) return null;
  if (code.length === CODE_DIGITS) return "app";
  return code.length === RECOVERY_CODE_DIGITS ? "recovery" : null;
};

const CODE_FORM = `Enter the ${CODE_DIGITS} digits from your app, or a ${RECOVERY_CODE_DIGITS}-digit recovery code`;

/** For every form with a code, before it is sent. */
export const checkCode = ({ code }: { code: string }): { code?: string } =>
  kindOfCode(plainCode(code)) === null ? { code: CODE_FORM } : {};

/** Setting up an app accepts only its own codes. */
export const checkAppCode = ({ code }: { code: string }): { code?: string } =>
  kindOfCode(plainCode(code)) === "app" ? {} : { code: `Enter the ${CODE_DIGITS} digits from your app` };

/** In groups of four, which people can read and type. */
export const inGroups = (text: string): string => text.match(/.{1,4}/g)?.join(" ") ?? "";

/** By the `error` in the URL after a sign-in with Google. */
export const GOOGLE_FAILURES = {
  google_declined: "Google sign-in canceled. Try again.",
  google_failed: "Signing in with Google didn't work. Please try again.",
  google_unverified: "Google hasn't confirmed that email address. Please sign up with your email instead.",
  google_exists:
    "You already have an account with this email. Sign in with your password, then connect Google in Settings.",
  google_unknown: "There's no account for that Google account yet. Select “Continue with Google” to create one.",
  google_taken:
    "Either this Google account belongs to another user here, or you already connected a different one. Disconnect the one you have, or use a different Google account.",
  google_unconfirmed: "That took too long. Confirm that it's you, then connect Google again.",
} as const;
export type GoogleFailure = keyof typeof GOOGLE_FAILURES;

export const googleFailureText = (value: string | null): string | null =>
  value !== null && Object.hasOwn(GOOGLE_FAILURES, value) ? GOOGLE_FAILURES[value as GoogleFailure] : null;
