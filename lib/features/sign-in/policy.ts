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

const CODE_FORM = `Enter the ${CODE_DIGITS} digits from your app, or a recovery code of ${RECOVERY_CODE_DIGITS} digits`;

/** For every form with a code, before it is sent. */
export const checkCode = ({ code }: { code: string }): { code?: string } =>
  kindOfCode(plainCode(code)) === null ? { code: CODE_FORM } : {};

/** Setting up an app accepts only its own codes. */
export const checkAppCode = ({ code }: { code: string }): { code?: string } =>
  kindOfCode(plainCode(code)) === "app" ? {} : { code: `Enter the ${CODE_DIGITS} digits from your app` };

/** In groups of four, which people can read and type. */
export const inGroups = (text: string): string => text.match(/.{1,4}/g)?.join(" ") ?? "";
