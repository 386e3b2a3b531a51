"use server";

import { action } from "#lib/server/action.ts";
import { findLostAccounts } from "./find-lost-accounts.ts";
import { previewSchedule } from "./preview-schedule.ts";
import { publishNow } from "./publish-now.ts";
import { reschedulePin } from "./reschedule-pin.ts";
import { retryPin } from "./retry-pin.ts";
import { noInput, reschedulePinInput, scheduleBatchInput, scheduledPinInput } from "./schema.ts";
import { unschedulePin } from "./unschedule-pin.ts";

export const previewScheduleAction = action("preview-schedule", scheduleBatchInput, previewSchedule, {
  limit: "preview",
});
export const unschedulePinAction = action("unschedule-pin", scheduledPinInput, unschedulePin);
export const retryPinAction = action("retry-pin", scheduledPinInput, retryPin, { limit: "schedule" });
export const reschedulePinAction = action("reschedule-pin", reschedulePinInput, reschedulePin, { limit: "schedule" });
export const publishNowAction = action("publish-now", scheduledPinInput, publishNow, { limit: "schedule" });
export const findLostAccountsAction = action("find-lost-accounts", noInput, findLostAccounts);
