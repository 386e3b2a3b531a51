import type { Metadata } from "next";
import { AccountsScreen } from "#components/accounts/accounts-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { toAccountStub } from "#lib/features/accounts/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Pinterest Accounts" };

export default async function AccountsPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const accounts = await findOwnedAccounts(ctx);
  const initial = accounts.map((account) => toAccountStub(ctx, account));
  return (
    <AccountsScreen initial={initial} plan={user.plan} timeZone={user.timeZone} creatorPath={product().creatorPath} />
  );
}
