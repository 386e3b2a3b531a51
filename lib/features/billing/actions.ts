"use server";

import { action } from "#lib/server/action.ts";
import { heldSubscriptionInput } from "./schema.ts";
import { cancelHeldSubscription } from "./subscriptions.ts";

export const cancelHeldSubscriptionAction = action(
  "cancel-held-subscription",
  heldSubscriptionInput,
  cancelHeldSubscription,
);
