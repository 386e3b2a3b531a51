"use server";

import { action } from "#lib/server/action.ts";
import { cancelHeld } from "./cancel-held.ts";
import { heldSubscriptionInput } from "./schema.ts";

export const cancelHeldAction = action("cancel-held-subscription", heldSubscriptionInput, cancelHeld);
