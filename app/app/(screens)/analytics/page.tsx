import type { Metadata } from "next";
import { type AnalyticsParams, readAnalyticsQuery, shownDays } from "#components/analytics/analytics-query.ts";
import { AnalyticsScreen } from "#components/analytics/analytics-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Analytics" };

type PageProps = { searchParams: Promise<AnalyticsParams> };

/** The first report uses our stored metrics; live data from Pinterest loads after the screen is shown. */
export default async function AnalyticsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = (await findOwnedAccounts(ctx)).map(({ id, username }) => ({ id, username }));
  const account = accounts.find(({ id }) => id === search.account) ?? accounts[0];
  const query = readAnalyticsQuery(search);
  const now = ctx.now();
  const report = account && (await readReport(ctx, { accountId: account.id, ...shownDays(query, now), by: query.by }));
  return (
    <AnalyticsScreen
      accounts={accounts}
      first={{ accountId: account?.id ?? null, query, report: report ? toReportWire(report, ctx) : null }}
      paintedAt={now.toISOString()}
      timeZone={user.timeZone}
      creatorPath={product().creatorPath}
    />
  );
}
