"use server";

import { action, withNewTokens } from "#lib/server/action.ts";
import { formAction, perAccount, rememberThisBrowser } from "#lib/server/form-action.ts";
import { cancelEmailChange, confirmEmailChange, requestEmailChange } from "./email-change.ts";
import { requestReset, resetPassword } from "./password-reset.ts";
import { changePassword, confirmByPassword } from "./passwords.ts";
import {
  checkNewPassword,
  checkRegistration,
  checkResetRequest,
  NEW_PASSWORD_FIELDS,
  REGISTER_FIELDS,
} from "./policy.ts";
import { registerUser, verifyEmail } from "./registration.ts";
import {
  changePasswordInput,
  chooseTimeZoneInput,
  confirmEmailChangeInput,
  endLoginInput,
  noInput,
  passwordInput,
  registerInput,
  requestEmailChangeInput,
  requestResetInput,
  resetPasswordInput,
  timeZoneInput,
  verifyEmailInput,
} from "./schema.ts";
import { endLogin, endOtherLogins } from "./sessions.ts";
import { TEXTS } from "./texts.ts";
import { chooseTimeZone, setTimeZone } from "./users.ts";

export const verifyEmailAction = action("verify-email", verifyEmailInput, verifyEmail, { auth: "none" });
export const setTimeZoneAction = action("set-time-zone", timeZoneInput, setTimeZone);
export const chooseTimeZoneAction = action("choose-time-zone", chooseTimeZoneInput, chooseTimeZone);
export const confirmByPasswordAction = action("confirm-identity", passwordInput, confirmByPassword, {
  limit: "password",
});
export const changePasswordAction = action("change-password", changePasswordInput, withNewTokens(changePassword), {
  limit: "password",
});
export const requestEmailChangeAction = action("request-email-change", requestEmailChangeInput, requestEmailChange);
export const cancelEmailChangeAction = action("cancel-email-change", noInput, cancelEmailChange);
export const confirmEmailChangeAction = action("confirm-email-change", confirmEmailChangeInput, confirmEmailChange, {
  auth: "none",
});
export const endLoginAction = action("end-login", endLoginInput, endLogin);
export const endOtherLoginsAction = action("end-other-logins", noInput, endOtherLogins);

export const registerFormAction = formAction({
  name: "register",
  fields: REGISTER_FIELDS,
  secrets: ["password", "confirmPassword"],
  check: checkRegistration,
  brokenText: TEXTS.fixForm,
  limit: "register",
  input: registerInput,
  run: registerUser,
  onDone: async ({ message }) => message || TEXTS.registeredFallback,
});

export const requestResetFormAction = formAction({
  name: "password-reset",
  fields: ["email"],
  check: checkResetRequest,
  limit: "reset",
  limitInput: perAccount("resetAccount"),
  input: requestResetInput,
  run: requestReset,
  onDone: async ({ message }) => message,
});

export const resetPasswordFormAction = formAction({
  name: "password-reset-confirm",
  fields: NEW_PASSWORD_FIELDS,
  secrets: NEW_PASSWORD_FIELDS,
  check: checkNewPassword,
  limit: "resetConfirm",
  input: resetPasswordInput,
  toInput: ({ newPassword }, data) => ({ token: data.get("token"), new_password: newPassword }),
  run: resetPassword,
  onDone: rememberThisBrowser,
});
