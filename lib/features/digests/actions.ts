"use server";

import { action } from "#lib/server/action.ts";
import { switchMailInput, switchOfferedInput } from "./schema.ts";
import { switchMail } from "./switch-mail.ts";
import { switchOffered } from "./switch-offered.ts";

export const switchMailAction = action("switch-mail", switchMailInput, switchMail);
export const switchOfferedAction = action("switch-offered", switchOfferedInput, switchOffered, { auth: "none" });
