import "server-only";
import { PASSKEYS_MAX } from "./constants.ts";

/** Not in `texts.ts`, to stay out of the browser bundle. */
export const MESSAGES = {
  wrongCode: "That code isn't right. Codes change every 30 seconds, and each one works only once.",
  ended: "This sign-in has expired. Please start over.",
  codesOn: "Two-step sign-in is already on.",
  codesOff: "Two-step sign-in is off.",
  setUpAgain: "This setup has expired. Please start again.",
  latePasskey: "That took too long. Please try again.",
  unknownPasskey: "We couldn't sign you in with this passkey. Use another way to sign in.",
  refusedPasskey: "We couldn't check this passkey. Please try again.",
  copiedPasskey: "We blocked this passkey because it may be a copy. Sign in another way and remove it in Settings.",
  passwordFirst: "Set a password first, so that you can still sign in.",
  noPasskey: "You have no passkey yet.",
  knownPasskey: "This passkey has already been added.",
  manyPasskeys: `You can have ${PASSKEYS_MAX} passkeys. Remove one to add another.`,
} as const;
