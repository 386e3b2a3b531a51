"use server";

import { action } from "#lib/server/action.ts";
import { deleteDraft } from "./delete-draft.ts";
import { editDraft } from "./edit-draft.ts";
import { readPost } from "./read-post.ts";
import { editDraftInput, pinIdInput } from "./schema.ts";

export const editDraftAction = action("edit-draft", editDraftInput, editDraft);
export const deleteDraftAction = action("delete-draft", pinIdInput, deleteDraft);
export const readPostAction = action("read-post", pinIdInput, readPost);
