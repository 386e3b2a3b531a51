"use server";

import { noInput } from "#lib/features/identity/schema.ts";
import { action } from "#lib/server/action.ts";
import { findDisconnectedAccounts } from "./queue.ts";
import { countOverdue, publishNow, publishRest, retryPin } from "./retries.ts";
import { reschedulePin } from "./scheduling.ts";
import { overdueInput, reschedulePinInput, scheduledPinInput } from "./schema.ts";

export const retryPinAction = action("retry-pin", scheduledPinInput, retryPin, { limit: "schedule" });
export const reschedulePinAction = action("reschedule-pin", reschedulePinInput, reschedulePin, { limit: "schedule" });
export const publishNowAction = action("publish-now", scheduledPinInput, publishNow, { limit: "schedule" });
export const countOverdueAction = action("count-overdue", overdueInput, countOverdue);
export const publishRestAction = action("publish-rest", overdueInput, publishRest, { limit: "schedule" });
export const findDisconnectedAccountsAction = action("find-disconnected-accounts", noInput, findDisconnectedAccounts);
