import { Readable } from "node:stream";
import { openStoredVideo } from "#lib/features/formats/playback.ts";
import { videoRequest } from "#lib/features/formats/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** A stored video by a signed path that expires, whole or the range that a player asks for. */
  GET: route({
    auth: "visitor",
    limit: "images",
    receive: async (request) => ({ input: { range: request.headers.get("range") }, discard: async () => {} }),
    input: videoRequest,
    run: openStoredVideo,
    respond: ({ body, status, headers }, _ctx, request) => {
      if (request.method === "HEAD") {
        // Next wouldn't read the stream, which would stay open.
        body.destroy();
        return new Response(null, { status, headers });
      }
      // Node's and the web's types of the same stream differ.
      return new Response(Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
    },
  }),
});
