import type { Metadata } from "next";
import { Suspense } from "react";
import { AccountsScreen } from "#components/accounts/accounts-screen.tsx";
import { OverviewStrip } from "#components/accounts/overview-strip.tsx";
import { ScreenLoading } from "#components/shared/screen-loading.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { toAccountStub } from "#lib/features/accounts/serializers.ts";
import { readOverview } from "#lib/features/calendar/overview.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Pinterest Accounts" };

async function Strip() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [overview, balance] = await Promise.all([readOverview(ctx, user), readBalance(ctx)]);
  return <OverviewStrip overview={overview} credits={balance.availableCredits} creatorPath={product().creatorPath} />;
}

async function Accounts() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const accounts = await findOwnedAccounts(ctx);
  const initial = accounts.map((account) => toAccountStub(ctx, account));
  return (
    <AccountsScreen initial={initial} plan={user.plan} timeZone={user.timeZone} creatorPath={product().creatorPath}>
      <Suspense fallback={<Skeleton shape="card" className="mb-7 h-32 w-full" />}>
        <Strip />
      </Suspense>
    </AccountsScreen>
  );
}

export default function AccountsPage() {
  return (
    <Suspense fallback={<ScreenLoading title="Pinterest Accounts" />}>
      <Accounts />
    </Suspense>
  );
}
