"use server";

import { action } from "#lib/server/action.ts";
import { deleteDrafts, duplicatePins, restoreDrafts } from "./drafts.ts";
import { editDraft, editDrafts, previewEdits, recheckLink, undoEdits } from "./edits.ts";
import { readPost } from "./library.ts";
import { listReviewed, recordReview } from "./review.ts";
import {
  duplicatePinsInput,
  editDraftInput,
  editDraftsInput,
  findKeptInput,
  listReviewedInput,
  pinIdInput,
  pinIdsInput,
  recordReviewInput,
  undoEditsInput,
} from "./schema.ts";
import { findKept } from "./uploads.ts";

export const editDraftAction = action("edit-draft", editDraftInput, editDraft);
export const deleteDraftsAction = action("delete-drafts", pinIdsInput, deleteDrafts);
export const restoreDraftsAction = action("restore-drafts", pinIdsInput, restoreDrafts);
export const previewEditsAction = action("preview-edits", editDraftsInput, previewEdits);
export const editDraftsAction = action("edit-drafts", editDraftsInput, editDrafts);
export const undoEditsAction = action("undo-edits", undoEditsInput, undoEdits);
export const duplicatePinsAction = action("duplicate-pins", duplicatePinsInput, duplicatePins, { limit: "createBulk" });
export const findKeptAction = action("find-kept", findKeptInput, findKept, { limit: "findKept" });
export const readPostAction = action("read-post", pinIdInput, readPost);
export const recheckLinkAction = action("recheck-link", pinIdInput, recheckLink, { limit: "recheckLink" });
export const recordReviewAction = action("record-review", recordReviewInput, recordReview);
export const listReviewedAction = action("list-reviewed", listReviewedInput, listReviewed);
