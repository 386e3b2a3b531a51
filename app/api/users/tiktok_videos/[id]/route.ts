import { deleteVideos } from "#lib/features/videos/saved-videos.ts";
import { videoIdInput } from "#lib/features/videos/schema.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-25, R-SAV-10 */
export const DELETE = route({
  auth: "user",
  input: videoIdInput,
  run: deleteVideos,
});

const other = answersOnly("DELETE");

export { other as GET, other as PATCH, other as POST, other as PUT };
