"use server";

import { action } from "#lib/server/action.ts";
import { cancelGeneration } from "./cancel-generation.ts";
import { readRemake } from "./read-remake.ts";
import { remakePicture } from "./remake-picture.ts";
import { cancelGenerationInput, remakeInput, remakePictureInput, suggestWordsInput } from "./schema.ts";
import { suggestWords } from "./suggest-words.ts";
import { undoRemake } from "./undo-remake.ts";

export const cancelGenerationAction = action("cancel-generation", cancelGenerationInput, cancelGeneration);
export const remakePictureAction = action("remake-picture", remakePictureInput, remakePicture, { limit: "generate" });
export const undoRemakeAction = action("undo-remake", remakeInput, undoRemake);
export const readRemakeAction = action("read-remake", remakeInput, readRemake);
export const suggestWordsAction = action("suggest-words", suggestWordsInput, suggestWords, { limit: "suggest" });
