import type { Metadata } from "next";
import { type ResultsAddress, readResultsQuery, shownDays } from "#components/analytics/results-query.ts";
import { ResultsScreen } from "#components/analytics/results-screen.tsx";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Analytics" };

type PageProps = { searchParams: Promise<ResultsAddress> };

/** The report is painted from our own figures; what Pinterest alone knows is read once the screen is there (D8). */
export default async function AnalyticsPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const [ctx, search] = await Promise.all([pageContext(user), searchParams]);
  const accounts = (await findOwnedAccounts(ctx)).map(({ id, username }) => ({ id, username }));
  const account = accounts.find(({ id }) => id === search.account) ?? accounts[0];
  const query = readResultsQuery(search);
  const now = ctx.now();
  const report = account && (await readReport(ctx, { accountId: account.id, ...shownDays(query, now), by: query.by }));
  return (
    <ResultsScreen
      accounts={accounts}
      first={{ accountId: account?.id ?? null, query, report: report ? toReportWire(report, ctx) : null }}
      paintedAt={now.toISOString()}
      timeZone={user.timeZone}
      creatorPath={product().creatorPath}
    />
  );
}
