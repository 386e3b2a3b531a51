import type { Metadata } from "next";
import { ReviewScreen } from "#components/review/review-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { listDrafts } from "#lib/features/pins/library.ts";
import { toPinsWire } from "#lib/features/pins/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Review Drafts" };

type PageProps = { searchParams: Promise<{ account?: string | string[] }> };

export default async function ReviewPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = (await findOwnedAccounts(ctx)).map(({ id, username }) => ({ id, username }));
  const accountId = (accounts.find(({ id }) => id === search.account) ?? accounts[0])?.id ?? null;
  const { posts } = accountId ? toPinsWire(await listDrafts(ctx, { accountId }), ctx) : { posts: [] };
  return <ReviewScreen accounts={accounts} accountId={accountId} drafts={posts} creatorPath={product().creatorPath} />;
}
