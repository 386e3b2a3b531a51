"use server";

import { action } from "#lib/server/action.ts";
import { deleteDrafts, duplicatePins, restoreDrafts } from "./drafts.ts";
import { editDraft, editDrafts, previewEdits, recheckLink, undoEdits } from "./edits.ts";
import { readPin } from "./library.ts";
import { listReviewed, recordReview } from "./review.ts";
import {
  duplicatePinsInput,
  editDraftInput,
  editDraftsInput,
  findSavedUploadsInput,
  listReviewedInput,
  pinIdInput,
  pinIdsInput,
  recordReviewInput,
  undoEditsInput,
} from "./schema.ts";
import { findSavedUploads } from "./uploads.ts";

export const editDraftAction = action("edit-draft", editDraftInput, editDraft);
export const deleteDraftsAction = action("delete-drafts", pinIdsInput, deleteDrafts);
export const restoreDraftsAction = action("restore-drafts", pinIdsInput, restoreDrafts);
export const previewEditsAction = action("preview-edits", editDraftsInput, previewEdits);
export const editDraftsAction = action("edit-drafts", editDraftsInput, editDrafts);
export const undoEditsAction = action("undo-edits", undoEditsInput, undoEdits);
export const duplicatePinsAction = action("duplicate-pins", duplicatePinsInput, duplicatePins, { limit: "createBulk" });
export const findSavedUploadsAction = action("find-kept", findSavedUploadsInput, findSavedUploads, {
  limit: "findSavedUploads",
});
export const readPinAction = action("read-post", pinIdInput, readPin);
export const recheckLinkAction = action("recheck-link", pinIdInput, recheckLink, { limit: "recheckLink" });
export const recordReviewAction = action("record-review", recordReviewInput, recordReview);
export const listReviewedAction = action("list-reviewed", listReviewedInput, listReviewed);
