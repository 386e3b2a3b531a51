import { listPosts } from "#lib/features/pins/library.ts";
import { listPostsInput } from "#lib/features/pins/schema.ts";
import { toNextLink, toPosts } from "#lib/features/pins/serializers.ts";
import { route, routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  /** R-API-12 */
  GET: route({
    auth: "user",
    input: listPostsInput,
    run: listPosts,
    present: toPosts,
    headers: toNextLink,
  }),
});
