import { z } from "zod";
import { readImage } from "#lib/features/pins/images.ts";
import { route, routes } from "#lib/server/route.ts";

const input = z.object({ key: z.array(z.string()) }).transform(({ key }) => ({ key: key.join("/") }));

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** A stored image. Keys are unguessable and never reused, so caches may keep it forever. */
  GET: route({
    auth: "visitor",
    limit: "images",
    input,
    run: readImage,
    respond: ({ bytes, contentType }) =>
      new Response(bytes, {
        headers: {
          "content-type": contentType,
          "cache-control": "public, max-age=31536000, immutable",
        },
      }),
  }),
});
