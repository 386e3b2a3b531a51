import { readImage } from "#lib/features/pins/images.ts";
import { imageRequest } from "#lib/features/pins/schema.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** A stored image: by its key if it is on Pinterest, else by a signed path that expires. */
  GET: route({
    auth: "visitor",
    limit: "images",
    input: imageRequest,
    run: readImage,
    respond: ({ bytes, contentType, caching, etag }, _, request) => {
      const headers = { "content-type": contentType, "cache-control": caching, etag };
      if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
      return new Response(bytes, { headers });
    },
  }),
});
