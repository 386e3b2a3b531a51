import type { Metadata } from "next";
import { PostsScreen } from "#components/pins/posts-screen.tsx";
import { readWallQuery, type WallAddress } from "#components/pins/wall-list.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { WALL_PAGE } from "#lib/features/pins/constants.ts";
import { listPosts } from "#lib/features/pins/library.ts";
import { listPostsInput } from "#lib/features/pins/schema.ts";
import { toPosts } from "#lib/features/pins/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Generated Posts" };

type PageProps = { searchParams: Promise<WallAddress> };

export default async function GeneratedPostsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = await findOwnedAccounts(ctx);
  const options = accounts.map(({ id, username }) => ({ id, username }));
  const asked = options.find(({ id }) => id === search.account);
  const accountId = asked?.id ?? options[0]?.id ?? null;
  const query = readWallQuery(search);
  const { filter: status, q, sort } = query;
  const limit = WALL_PAGE;
  const posts =
    accountId &&
    toPosts(await listPosts(ctx, listPostsInput.parse({ accountId, status, q, sort, limit, counts: "true" })), ctx);
  return (
    <PostsScreen
      accounts={options}
      first={{ accountId, query, posts: posts || null }}
      timeZone={user.timeZone}
      creatorPath={product().creatorPath}
    />
  );
}
