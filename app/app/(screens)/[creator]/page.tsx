import type { Metadata } from "next";
import { CreatorScreen } from "#components/generation/creator-screen.tsx";
import { creatorStartOf, keywordsOf } from "#lib/core/paths.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { KEYWORD_MAX, KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import { trackGeneration } from "#lib/features/generation/groups.ts";
import { findLastVariants, findRunningGroup } from "#lib/features/generation/queries.ts";
import { toTrackingWire } from "#lib/features/generation/serializers.ts";
import { LINK_MAX } from "#lib/features/pins/constants.ts";
import { findConfirmedSites } from "#lib/features/sites/rights.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

type PageProps = {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export const generateMetadata = async (): Promise<Metadata> => ({ title: product().creatorLabel });

export default async function CreatorPage({ searchParams }: PageProps) {
  const ctx = await pageContext(await requireUser());
  const [accounts, group, variants, confirmedSites, query] = await Promise.all([
    findOwnedAccounts(ctx),
    findRunningGroup(ctx),
    findLastVariants(ctx),
    findConfirmedSites(ctx),
    searchParams,
  ]);
  const tasks = group && (await trackGeneration(ctx, { groupId: group.groupId }));
  return (
    <CreatorScreen
      title={product().creatorLabel}
      accounts={accounts.map(({ id, username }) => ({ id, username }))}
      keywords={keywordsOf(query, { count: KEYWORDS_MAX, length: KEYWORD_MAX })}
      variants={variants}
      confirmedSites={confirmedSites}
      start={creatorStartOf(query, LINK_MAX)}
      running={
        group &&
        tasks && {
          groupId: group.groupId,
          quality: group.quality,
          accountId: group.accountId,
          boardId: group.boardId,
          tracking: toTrackingWire(tasks, ctx),
        }
      }
    />
  );
}
