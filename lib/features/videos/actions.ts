"use server";

import { action } from "#lib/server/action.ts";
import { deleteVideos, editSavedVideo, restoreVideos } from "./saved-videos.ts";
import { editSavedVideoInput, videoIdsInput } from "./schema.ts";

export const deleteVideosAction = action("delete-videos", videoIdsInput, deleteVideos);
export const restoreVideosAction = action("restore-videos", videoIdsInput, restoreVideos);
export const editSavedVideoAction = action("edit-saved-video", editSavedVideoInput, editSavedVideo);
