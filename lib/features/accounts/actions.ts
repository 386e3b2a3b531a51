"use server";

import { action } from "#lib/server/action.ts";
import { createBoard, createSection } from "./accounts.ts";
import { createBoardInput, createSectionInput } from "./schema.ts";

export const createBoardAction = action("create-board", createBoardInput, createBoard, { limit: "createBoard" });

export const createSectionAction = action("create-section", createSectionInput, createSection, {
  limit: "createBoard",
});
