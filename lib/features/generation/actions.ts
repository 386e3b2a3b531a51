"use server";

import { action } from "#lib/server/action.ts";
import { cancelGeneration } from "./cancel-generation.ts";
import { cancelGenerationInput } from "./schema.ts";

export const cancelGenerationAction = action("cancel-generation", cancelGenerationInput, cancelGeneration);
