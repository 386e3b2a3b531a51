import { SAVE_BYTES_MAX } from "#lib/features/videos/constants.ts";
import { listSavedVideos } from "#lib/features/videos/list-saved-videos.ts";
import { toNextLink, toSaved, toSavedVideos } from "#lib/features/videos/present.ts";
import { saveVideos } from "#lib/features/videos/save-videos.ts";
import { listSavedVideosInput, saveVideosInput } from "#lib/features/videos/schema.ts";
import { answersOnly } from "#lib/server/refuse.ts";
import { route } from "#lib/server/route.ts";

/** R-API-24 */
export const GET = route({
  auth: "user",
  input: listSavedVideosInput,
  run: listSavedVideos,
  present: toSavedVideos,
  headers: toNextLink,
});

/** R-API-23, R-VID-27 */
export const POST = route({
  auth: "user",
  limit: "saveVideos",
  bodyBytesMax: SAVE_BYTES_MAX,
  input: saveVideosInput,
  run: saveVideos,
  present: toSaved,
});

const other = answersOnly("GET", "POST");

export { other as DELETE, other as PATCH, other as PUT };
