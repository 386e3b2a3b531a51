"use server";

import { action } from "#lib/server/action.ts";
import { resendVerification } from "./resend-verification.ts";
import { noInput, timeZoneInput, verifyEmailInput } from "./schema.ts";
import { setTimeZone } from "./set-time-zone.ts";
import { verifyEmail } from "./verify-email.ts";

export const verifyEmailAction = action(verifyEmailInput, verifyEmail, { auth: "none" });
export const resendVerificationAction = action(noInput, resendVerification, { limit: "resend" });
export const setTimeZoneAction = action(timeZoneInput, setTimeZone);
