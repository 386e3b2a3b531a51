"use server";

import { action } from "#lib/server/action.ts";
import { timeZoneInput, verifyEmailInput } from "./schema.ts";
import { setTimeZone } from "./set-time-zone.ts";
import { verifyEmail } from "./verify-email.ts";

export const verifyEmailAction = action("verify-email", verifyEmailInput, verifyEmail, { auth: "none" });
export const setTimeZoneAction = action("set-time-zone", timeZoneInput, setTimeZone);
