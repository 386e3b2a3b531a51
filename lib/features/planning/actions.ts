"use server";

import { scheduleBatchInput } from "#lib/features/publishing/schema.ts";
import { action } from "#lib/server/action.ts";
import { readPace, savePace } from "./paces.ts";
import { applyPlan, checkTimes, previewWithPace, proposePlan, readPlanNotes } from "./plans.ts";
import {
  applyPlanInput,
  checkTimesInput,
  planNotesInput,
  proposePlanInput,
  readPaceInput,
  savePaceInput,
} from "./schema.ts";

export const previewScheduleAction = action("preview-schedule", scheduleBatchInput, previewWithPace, {
  limit: "preview",
});
export const checkTimesAction = action("check-times", checkTimesInput, checkTimes, { limit: "checkTimes" });
export const proposePlanAction = action("propose-plan", proposePlanInput, proposePlan, { limit: "preview" });
export const applyPlanAction = action("apply-plan", applyPlanInput, applyPlan, { limit: "schedule" });
export const readPlanNotesAction = action("read-plan-notes", planNotesInput, readPlanNotes);
export const readPaceAction = action("read-pace", readPaceInput, readPace);
export const savePaceAction = action("save-pace", savePaceInput, savePace);
