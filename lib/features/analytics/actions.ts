"use server";

import { action } from "#lib/server/action.ts";
import { syncInput } from "./schema.ts";
import { requestSync } from "./sync-queue.ts";
import { readVariants } from "./variants.ts";

export const requestSyncAction = action("ask-for-results", syncInput, requestSync);
export const readVariantsAction = action("read-variants", syncInput, readVariants);
