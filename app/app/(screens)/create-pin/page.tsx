import type { Metadata } from "next";
import { BulkScreen } from "#components/bulk-create/bulk-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Manual Pin Creation" };

export default async function CreatePinPage() {
  const user = await requireUser();
  const accounts = await findOwnedAccounts(await pageContext(user));
  return <BulkScreen userId={user.id} accounts={accounts.map(({ id, username }) => ({ id, username }))} />;
}
