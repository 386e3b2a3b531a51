"use server";

import { action } from "#lib/server/action.ts";
import { switchEmail, switchEmailsByLink } from "./preferences.ts";
import { switchEmailInput, switchEmailsByLinkInput } from "./schema.ts";

export const switchEmailAction = action("switch-email", switchEmailInput, switchEmail);
export const switchEmailsByLinkAction = action("switch-emails-by-link", switchEmailsByLinkInput, switchEmailsByLink, {
  auth: "none",
});
