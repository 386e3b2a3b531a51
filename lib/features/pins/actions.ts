"use server";

import { action } from "#lib/server/action.ts";
import { deleteDraft } from "./delete-draft.ts";
import { editDraft } from "./edit-draft.ts";
import { readPost } from "./read-post.ts";
import { editDraftInput, pinIdInput } from "./schema.ts";

export const editDraftAction = action(editDraftInput, editDraft);
export const deleteDraftAction = action(pinIdInput, deleteDraft);
export const readPostAction = action(pinIdInput, readPost);
