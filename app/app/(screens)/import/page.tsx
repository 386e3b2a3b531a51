import type { Metadata } from "next";
import { ImportScreen } from "#components/spreadsheets/import-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { readOpenImport } from "#lib/features/spreadsheets/review.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Import Pins" };

export default async function ImportPage() {
  const user = await requireUser();
  const ctx = await pageContext(user);
  const [accounts, open] = await Promise.all([findOwnedAccounts(ctx), readOpenImport(ctx)]);
  return <ImportScreen accounts={accounts.map(({ id, username }) => ({ id, username }))} open={open} />;
}
