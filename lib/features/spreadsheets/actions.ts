"use server";

import { action } from "#lib/server/action.ts";
import { cancelCreation, confirmImport } from "./creation.ts";
import {
  chooseRows,
  createImportBoard,
  discardImport,
  fixRow,
  mapColumns,
  readImport,
  readProgress,
  retryImages,
  setScheduled,
} from "./review.ts";
import {
  chooseRowsInput,
  confirmInput,
  createImportBoardInput,
  fixRowInput,
  importInput,
  mapColumnsInput,
  progressInput,
  reviewInput,
  setScheduledInput,
} from "./schema.ts";

export const readImportAction = action("read-import", reviewInput, readImport);
export const readProgressAction = action("read-import-progress", progressInput, readProgress);
export const mapColumnsAction = action("map-columns", mapColumnsInput, mapColumns);
export const fixRowAction = action("fix-row", fixRowInput, fixRow);
export const chooseRowsAction = action("choose-rows", chooseRowsInput, chooseRows);
export const setScheduledAction = action("set-import-scheduled", setScheduledInput, setScheduled);
export const retryImagesAction = action("retry-import-images", importInput, retryImages, { limit: "imports" });
export const createImportBoardAction = action("create-import-board", createImportBoardInput, createImportBoard, {
  limit: "createBoard",
});
export const discardImportAction = action("discard-import", importInput, discardImport);
export const confirmImportAction = action("confirm-import", confirmInput, confirmImport, { limit: "imports" });
export const cancelCreationAction = action("cancel-import", importInput, cancelCreation);
