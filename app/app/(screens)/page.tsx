import type { Metadata } from "next";
import { Suspense } from "react";
import { AccountsScreen } from "#components/accounts/accounts-screen.tsx";
import { OverviewStrip } from "#components/accounts/overview-strip.tsx";
import { ScreenLoading } from "#components/shared/screen-loading.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { toAccountStub } from "#lib/features/accounts/serializers.ts";
import { readOverview } from "#lib/features/calendar/overview.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Pinterest Accounts" };

async function Home() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [accounts, overview, balance] = await Promise.all([
    findOwnedAccounts(ctx),
    readOverview(ctx, user),
    readBalance(ctx),
  ]);
  const { creatorPath } = product();
  return (
    <AccountsScreen
      initial={accounts.map((account) => toAccountStub(ctx, account))}
      plan={user.plan}
      timeZone={user.timeZone}
      creatorPath={creatorPath}
    >
      <OverviewStrip
        overview={overview}
        credits={balance.availableCredits}
        timeZone={user.timeZone}
        creatorPath={creatorPath}
      />
    </AccountsScreen>
  );
}

export default function AccountsPage() {
  return (
    <Suspense fallback={<ScreenLoading title="Pinterest Accounts" />}>
      <Home />
    </Suspense>
  );
}
