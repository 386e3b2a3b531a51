import type { Metadata } from "next";
import { type KeywordsParams, readKeywordsQuery } from "#components/keywords/keywords-query.ts";
import { KeywordsScreen } from "#components/keywords/keywords-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { listKeywordLists } from "#lib/features/keywords/lists.ts";
import { toListsWire } from "#lib/features/keywords/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Keywords" };

type PageProps = { searchParams: Promise<KeywordsParams> };

/** Trends are live data from Pinterest, which load after the screen is shown. */
export default async function KeywordsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const [owned, lists] = await Promise.all([findOwnedAccounts(ctx), listKeywordLists(ctx)]);
  const accounts = owned.map(({ id, username }) => ({ id, username }));
  const account = accounts.find(({ id }) => id === search.account) ?? accounts[0];
  return (
    <KeywordsScreen
      accounts={accounts}
      first={{ accountId: account?.id ?? null, query: readKeywordsQuery(search), lists: toListsWire(lists) }}
      paintedAt={ctx.now().toISOString()}
      timeZone={user.timeZone}
      creatorPath={product().creatorPath}
    />
  );
}
