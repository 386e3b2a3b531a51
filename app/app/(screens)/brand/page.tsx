import type { Metadata } from "next";
import { BrandScreen } from "#components/branding/brand-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { readBranding } from "#lib/features/branding/kit.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: "Brand Kit" };

type PageProps = { searchParams: Promise<{ account?: string | string[] }> };

export default async function BrandPage({ searchParams }: PageProps) {
  const [ctx, search] = await Promise.all([pageContext(await requireUser()), searchParams]);
  const accounts = await findOwnedAccounts(ctx);
  const options = accounts.map(({ id, username }) => ({ id, username }));
  const accountId = options.find(({ id }) => id === search.account)?.id ?? options[0]?.id;
  const first = accountId ? await readBranding(ctx, { accountId, pinIds: [] }) : null;
  return <BrandScreen accounts={options} first={first} />;
}
