"use server";

import { action } from "#lib/server/action.ts";
import { cancelEmailChange } from "./cancel-email-change.ts";
import { changePassword } from "./change-password.ts";
import { chooseTimeZone } from "./choose-time-zone.ts";
import { confirmEmailChange } from "./confirm-email-change.ts";
import { endLogin } from "./end-login.ts";
import { endOtherLogins } from "./end-other-logins.ts";
import { requestEmailChange } from "./request-email-change.ts";
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
import { setTimeZone } from "./set-time-zone.ts";
import { verifyEmail } from "./verify-email.ts";

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
