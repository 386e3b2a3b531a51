"use server";

import { action } from "#lib/server/action.ts";
import { deleteDrafts } from "./delete-drafts.ts";
import { duplicatePins } from "./duplicate-pins.ts";
import { editDraft } from "./edit-draft.ts";
import { editDrafts } from "./edit-drafts.ts";
import { findKept } from "./find-kept.ts";
import { listReviewed } from "./list-reviewed.ts";
import { previewEdits } from "./preview-edits.ts";
import { readPost } from "./read-post.ts";
import { recheckLink } from "./recheck-link.ts";
import { recordReview } from "./record-review.ts";
import { restoreDrafts } from "./restore-drafts.ts";
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
import { undoEdits } from "./undo-edits.ts";

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
