import type { Metadata } from "next";
import { SitesScreen } from "#components/sites/sites-screen.tsx";
import { listWatches } from "#lib/features/sites/watches.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "From Your Site" };

export default async function PagesPage() {
  const ctx = await pageContext(await requireUser());
  return <SitesScreen first={await listWatches(ctx)} creatorPath={product().creatorPath} />;
}
