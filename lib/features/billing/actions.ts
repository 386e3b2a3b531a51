"use server";

import { action } from "#lib/server/action.ts";
import { heldSubscriptionInput } from "./schema.ts";
import { cancelHeld } from "./subscriptions.ts";

export const cancelHeldAction = action("cancel-held-subscription", heldSubscriptionInput, cancelHeld);
