"use server";

import { action } from "#lib/server/action.ts";
import { createBoard } from "./accounts.ts";
import { createBoardInput } from "./schema.ts";

export const createBoardAction = action("create-board", createBoardInput, createBoard, { limit: "createBoard" });
