import { z } from "zod";
import { readPicture } from "#lib/features/pins/images.ts";
import { route, routes } from "#lib/server/route.ts";

const input = z.object({ key: z.array(z.string()) }).transform(({ key }) => ({ key: key.join("/") }));

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** A stored picture. Its key is unguessable and never used for other bytes, so caches may keep it for ever. */
  GET: route({
    auth: "visitor",
    limit: "images",
    input,
    run: readPicture,
    respond: ({ bytes, contentType }) =>
      new Response(bytes, {
        headers: {
          "content-type": contentType,
          "cache-control": "public, max-age=31536000, immutable",
        },
      }),
  }),
});
