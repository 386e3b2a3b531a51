"use server";

import { action } from "#lib/server/action.ts";
import { previewText, suggestText } from "./drafting.ts";
import { cancelGeneration } from "./groups.ts";
import { readRegeneration, regenerateImage, undoRegeneration } from "./images.ts";
import {
  cancelGenerationInput,
  previewTextInput,
  regenerateImageInput,
  regenerationInput,
  suggestTextInput,
} from "./schema.ts";
import { readPinPage } from "./task-pages.ts";

export const cancelGenerationAction = action("cancel-generation", cancelGenerationInput, cancelGeneration);
export const regenerateImageAction = action("regenerate-image", regenerateImageInput, regenerateImage, {
  limit: "generate",
});
export const undoRegenerationAction = action("undo-regeneration", regenerationInput, undoRegeneration);
export const readRegenerationAction = action("read-regeneration", regenerationInput, readRegeneration);
export const readPinPageAction = action("read-pin-page", regenerationInput, readPinPage);
export const suggestTextAction = action("suggest-text", suggestTextInput, suggestText, { limit: "suggest" });
export const previewTextAction = action("preview-text", previewTextInput, previewText, { limit: "suggest" });
