import type { Metadata } from "next";
import { PostsScreen } from "#components/pins/posts-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { POST_FILTERS } from "#lib/features/pins/constants.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Generated Posts" };

type PageProps = { searchParams: Promise<{ account?: string | string[]; status?: string | string[] }> };

export default async function GeneratedPostsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [accounts, search] = await Promise.all([pageContext(user).then(findOwnedAccounts), searchParams]);
  const options = accounts.map(({ id, username }) => ({ id, username }));
  const asked = options.find(({ id }) => id === search.account);
  return (
    <PostsScreen
      accounts={options}
      first={{
        accountId: asked?.id ?? options[0]?.id ?? null,
        filter: POST_FILTERS.find((word) => word === search.status) ?? "all",
      }}
      timeZone={user.timeZone}
      creatorPath={product().creatorPath}
    />
  );
}
