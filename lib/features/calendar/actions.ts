"use server";

import { action } from "#lib/server/action.ts";
import { planSlotsInput, saveSlotsInput, setAccountTimeZoneInput, suggestSlotsInput } from "./schema.ts";
import { planIntoSlots, saveSlots, setAccountTimeZone, suggestAccountSlots } from "./slots.ts";

export const planIntoSlotsAction = action("plan-into-slots", planSlotsInput, planIntoSlots, { limit: "preview" });
export const saveSlotsAction = action("save-slots", saveSlotsInput, saveSlots);
export const suggestSlotsAction = action("suggest-slots", suggestSlotsInput, suggestAccountSlots);
export const setAccountTimeZoneAction = action("set-account-time-zone", setAccountTimeZoneInput, setAccountTimeZone);
