import type { Metadata } from "next";
import { PostsScreen } from "#components/pins/posts-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { POST_FILTERS } from "#lib/features/pins/constants.ts";
import { listPosts } from "#lib/features/pins/list-posts.ts";
import { toPosts } from "#lib/features/pins/present.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Generated Posts" };

type PageProps = { searchParams: Promise<{ account?: string | string[]; status?: string | string[] }> };

export default async function GeneratedPostsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = await findOwnedAccounts(ctx);
  const options = accounts.map(({ id, username }) => ({ id, username }));
  const asked = options.find(({ id }) => id === search.account);
  const accountId = asked?.id ?? options[0]?.id ?? null;
  const filter = POST_FILTERS.find((word) => word === search.status) ?? "all";
  const posts = accountId && toPosts(await listPosts(ctx, { accountId, status: filter }), ctx);
  return (
    <PostsScreen
      accounts={options}
      first={{ accountId, filter, posts: posts || null }}
      timeZone={user.timeZone}
      creatorPath={product().creatorPath}
    />
  );
}
