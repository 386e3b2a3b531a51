"use server";

import { action } from "#lib/server/action.ts";
import { askForResults } from "./gathering-queue.ts";
import { gatherInput } from "./schema.ts";

export const askForResultsAction = action("ask-for-results", gatherInput, askForResults);
