import type { Metadata } from "next";
import { BoardsScreen } from "#components/accounts/boards-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Board Manager" };

export default async function BoardManagerPage() {
  const ctx = await pageContext(await requireUser());
  const accounts = await findOwnedAccounts(ctx);
  return <BoardsScreen accounts={accounts.map(({ id, username }) => ({ id, username }))} />;
}
