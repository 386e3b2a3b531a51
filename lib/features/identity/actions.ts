"use server";

import { action } from "#lib/server/action.ts";
import { cancelEmailChange, confirmEmailChange, requestEmailChange } from "./email-change.ts";
import { changePassword } from "./passwords.ts";
import { verifyEmail } from "./registration.ts";
import {
  changePasswordInput,
  chooseTimeZoneInput,
  confirmEmailChangeInput,
  endLoginInput,
  noInput,
  requestEmailChangeInput,
  timeZoneInput,
  verifyEmailInput,
} from "./schema.ts";
import { endLogin, endOtherLogins } from "./sessions.ts";
import { chooseTimeZone, setTimeZone } from "./users.ts";

export const verifyEmailAction = action("verify-email", verifyEmailInput, verifyEmail, { auth: "none" });
export const setTimeZoneAction = action("set-time-zone", timeZoneInput, setTimeZone);
export const chooseTimeZoneAction = action("choose-time-zone", chooseTimeZoneInput, chooseTimeZone);
export const changePasswordAction = action("change-password", changePasswordInput, changePassword, {
  limit: "password",
});
export const requestEmailChangeAction = action("request-email-change", requestEmailChangeInput, requestEmailChange, {
  limit: "password",
});
export const cancelEmailChangeAction = action("cancel-email-change", noInput, cancelEmailChange);
export const confirmEmailChangeAction = action("confirm-email-change", confirmEmailChangeInput, confirmEmailChange, {
  auth: "none",
});
export const endLoginAction = action("end-login", endLoginInput, endLogin);
export const endOtherLoginsAction = action("end-other-logins", noInput, endOtherLogins);
