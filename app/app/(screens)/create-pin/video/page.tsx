import type { Metadata } from "next";
import { VideoScreen } from "#components/formats/video-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "New video pin" };

export default async function VideoPinPage() {
  const accounts = await findOwnedAccounts(await pageContext(await requireUser()));
  return <VideoScreen accounts={accounts.map(({ id, username }) => ({ id, username }))} />;
}
