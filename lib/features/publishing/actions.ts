"use server";

import { action } from "#lib/server/action.ts";
import { retryPin } from "./retry-pin.ts";
import { scheduledPinInput } from "./schema.ts";
import { unschedulePin } from "./unschedule-pin.ts";

export const unschedulePinAction = action("unschedule-pin", scheduledPinInput, unschedulePin);
export const retryPinAction = action("retry-pin", scheduledPinInput, retryPin, { limit: "schedule" });
