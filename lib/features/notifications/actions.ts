"use server";

import { action } from "#lib/server/action.ts";
import { switchMail, switchOffered } from "./preferences.ts";
import { switchMailInput, switchOfferedInput } from "./schema.ts";

export const switchMailAction = action("switch-mail", switchMailInput, switchMail);
export const switchOfferedAction = action("switch-offered", switchOfferedInput, switchOffered, { auth: "none" });
