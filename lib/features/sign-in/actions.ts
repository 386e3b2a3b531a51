"use server";

import { checkLogin, LOGIN_FIELDS, LOGIN_TEXTS } from "#lib/features/identity/fields.ts";
import { noInput } from "#lib/features/identity/schema.ts";
import { action, withGoogleCookie } from "#lib/server/action.ts";
import { askForCode, enterApp, formAction, perAccount } from "#lib/server/form-action.ts";
import { createRecoveryCodes, disableAuthenticator, enableAuthenticator, setUpAuthenticator } from "./authenticator.ts";
import { beginGoogleLink, unlinkGoogle } from "./google.ts";
import {
  addPasskey,
  confirmWithPasskey,
  removePasskey,
  renamePasskey,
  requestNewPasskey,
  requestPasskeyConfirmation,
} from "./passkeys.ts";
import { CODE_FIELDS, checkCode } from "./policy.ts";
import {
  addPasskeyInput,
  appCodeInput,
  codeInput,
  loginInput,
  passkeyAnswerInput,
  passkeyInput,
  renamePasskeyInput,
  verifyInput,
} from "./schema.ts";
import { confirmWithCode, verifySecondStep } from "./second-step.ts";
import { logIn } from "./sign-in.ts";

/** The app exchanges the session cookie for an access token later. */
export const loginFormAction = formAction({
  name: "login",
  fields: LOGIN_FIELDS,
  secrets: ["password"],
  check: checkLogin,
  brokenText: LOGIN_TEXTS.fillAllFields,
  limit: "login",
  limitInput: perAccount("loginAccount"),
  input: loginInput,
  run: logIn,
  onRefused: askForCode,
  onDone: enterApp,
});

export const verifyFormAction = formAction({
  name: "login-verify",
  fields: CODE_FIELDS,
  secrets: CODE_FIELDS,
  check: checkCode,
  limit: "login",
  input: verifyInput,
  run: verifySecondStep,
  onDone: enterApp,
});

export const setUpAuthenticatorAction = action("set-up-authenticator", noInput, setUpAuthenticator, {
  limit: "password",
});
export const enableAuthenticatorAction = action("enable-authenticator", appCodeInput, enableAuthenticator, {
  limit: "password",
});
export const disableAuthenticatorAction = action("disable-authenticator", noInput, disableAuthenticator);
export const createRecoveryCodesAction = action("create-recovery-codes", noInput, createRecoveryCodes, {
  limit: "password",
});
export const requestNewPasskeyAction = action("request-new-passkey", noInput, requestNewPasskey, { limit: "passkey" });
export const addPasskeyAction = action("add-passkey", addPasskeyInput, addPasskey, { limit: "passkey" });
export const renamePasskeyAction = action("rename-passkey", renamePasskeyInput, renamePasskey);
export const removePasskeyAction = action("remove-passkey", passkeyInput, removePasskey);
export const confirmWithCodeAction = action("confirm-with-code", codeInput, confirmWithCode, { limit: "password" });
export const requestPasskeyConfirmationAction = action(
  "request-passkey-confirmation",
  noInput,
  requestPasskeyConfirmation,
  { limit: "passkey" },
);
export const confirmWithPasskeyAction = action("confirm-with-passkey", passkeyAnswerInput, confirmWithPasskey, {
  limit: "passkey",
});

/** The browser opens the URL, a page of Google's. */
export const beginGoogleLinkAction = action("link-google", noInput, withGoogleCookie(beginGoogleLink));
export const unlinkGoogleAction = action("unlink-google", noInput, unlinkGoogle);
