import { z } from "zod";
import { readPicture } from "#lib/features/pins/images.ts";
import { answersOnly, route } from "#lib/server/route.ts";

const input = z.object({ key: z.array(z.string()) }).transform(({ key }) => ({ key: key.join("/") }));

/** A stored picture. Its key is unguessable and never used for other bytes, so caches may keep it for ever. */
export const GET = route({
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
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
