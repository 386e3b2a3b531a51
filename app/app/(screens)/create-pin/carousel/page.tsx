import type { Metadata } from "next";
import { CarouselScreen } from "#components/formats/carousel-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "New carousel" };

export default async function CarouselPage() {
  const accounts = await findOwnedAccounts(await pageContext(await requireUser()));
  return <CarouselScreen accounts={accounts.map(({ id, username }) => ({ id, username }))} />;
}
