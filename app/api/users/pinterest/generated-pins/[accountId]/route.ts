import { listPosts } from "#lib/features/pins/library.ts";
import { listPostsInput } from "#lib/features/pins/schema.ts";
import { toNextLink, toPosts } from "#lib/features/pins/serializers.ts";
import { answersOnly, route } from "#lib/server/route.ts";

/** R-API-12 */
export const GET = route({
  auth: "user",
  input: listPostsInput,
  run: listPosts,
  present: toPosts,
  headers: toNextLink,
});

const other = answersOnly("GET");

export { other as DELETE, other as PATCH, other as POST, other as PUT };
