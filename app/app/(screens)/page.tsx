import type { Metadata } from "next";
import { Suspense } from "react";
import { AccountsScreen } from "#components/accounts/accounts-screen.tsx";
import { ScreenLoading } from "#components/shared/screen-loading.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { toAccountStub } from "#lib/features/accounts/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Pinterest Accounts" };

async function Accounts() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const accounts = await findOwnedAccounts(ctx);
  const initial = accounts.map((account) => toAccountStub(ctx, account));
  return (
    <AccountsScreen initial={initial} plan={user.plan} timeZone={user.timeZone} creatorPath={product().creatorPath} />
  );
}

export default function AccountsPage() {
  return (
    <Suspense fallback={<ScreenLoading title="Pinterest Accounts" />}>
      <Accounts />
    </Suspense>
  );
}
