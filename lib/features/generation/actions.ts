"use server";

import { action } from "#lib/server/action.ts";
import { suggestWords } from "./drafting.ts";
import { cancelGeneration } from "./groups.ts";
import { readRemake, remakePicture, undoRemake } from "./images.ts";
import { cancelGenerationInput, remakeInput, remakePictureInput, suggestWordsInput } from "./schema.ts";

export const cancelGenerationAction = action("cancel-generation", cancelGenerationInput, cancelGeneration);
export const remakePictureAction = action("remake-picture", remakePictureInput, remakePicture, { limit: "generate" });
export const undoRemakeAction = action("undo-remake", remakeInput, undoRemake);
export const readRemakeAction = action("read-remake", remakeInput, readRemake);
export const suggestWordsAction = action("suggest-words", suggestWordsInput, suggestWords, { limit: "suggest" });
