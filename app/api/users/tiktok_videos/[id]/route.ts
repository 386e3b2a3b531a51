import { deleteVideos } from "#lib/features/videos/saved-videos.ts";
import { videoIdInput } from "#lib/features/videos/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  DELETE: route({
    auth: "user",
    input: videoIdInput,
    run: deleteVideos,
  }),
});
