"use server";

import { action } from "#lib/server/action.ts";
import { approveApp } from "./authorization.ts";
import { approveInput } from "./schema.ts";

export const approveAppAction = action("approve-app", approveInput, approveApp);
