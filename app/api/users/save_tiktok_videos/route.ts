import { SAVE_BYTES_MAX } from "#lib/features/videos/constants.ts";
import { listSavedVideos, saveVideos, streamSavedVideos } from "#lib/features/videos/saved-videos.ts";
import { listSavedVideosInput, saveVideosInput } from "#lib/features/videos/schema.ts";
import { toNextLink, toSaved, toSavedVideos } from "#lib/features/videos/serializers.ts";
import { exportResponse } from "#lib/server/responses.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** All videos as a stream, or one page with a `Link` to the next. */
  GET: route({
    auth: "user",
    input: listSavedVideosInput,
    run: async (ctx, input) =>
      input.limit === undefined
        ? { pieces: await streamSavedVideos(ctx, input) }
        : { page: await listSavedVideos(ctx, input) },
    respond: ({ pieces, page }, _ctx, request) =>
      page ? Response.json(toSavedVideos(page), { headers: toNextLink(page, request) }) : exportResponse(pieces),
  }),
  POST: route({
    auth: "user",
    limit: "saveVideos",
    bodyBytesMax: SAVE_BYTES_MAX,
    input: saveVideosInput,
    run: saveVideos,
    present: toSaved,
  }),
});
