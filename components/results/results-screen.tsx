"use client";

import { useMemo } from "react";
import { AccountChoice, type AccountOption } from "#components/accounts/account-choice.tsx";
import { NoAccount } from "#components/accounts/no-account.tsx";
import { AccountPart } from "#components/results/account-part.tsx";
import { RangeChoice } from "#components/results/range-choice.tsx";
import { ReportPart } from "#components/results/report-part.tsx";
import { type ResultsQuery, reportPath, shownDays } from "#components/results/results-query.ts";
import { TopPins } from "#components/results/top-pins.tsx";
import { useReport } from "#components/results/use-report.ts";
import { type Asked, useResultsAddress } from "#components/results/use-results-address.ts";
import { useUtcDay } from "#components/results/use-utc-day.ts";
import { PageHead } from "#components/shell/page-head.tsx";
import { useTimeZone } from "#components/shell/time-zone.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { ApiError } from "#lib/client/api.ts";
import type { ReportWire } from "#lib/features/analytics/schema.ts";

/** What the server put on the first paint, and what it was asked for. */
export type FirstResults = { accountId: string | null; query: ResultsQuery; report: ReportWire | null };

type ResultsScreenProps = {
  accounts: AccountOption[];
  first: FirstResults;
  /** ISO 8601: when the page was painted. All days are told from here. */
  paintedAt: string;
  timeZone: string;
  creatorPath: string;
};

type ViewProps = Omit<ResultsScreenProps, "accounts" | "paintedAt"> & {
  account: AccountOption;
  asked: Asked;
  now: Date;
};

const GONE = 404;

function AccountGone({ username }: { username: string }) {
  return (
    <EmptyState
      title={`${username} is no longer connected`}
      action={
        <LinkButton variant="primary" href="/app">
          See your accounts
        </LinkButton>
      }
    >
      Connect it again and its pins are back, with their results.
    </EmptyState>
  );
}

/** One account's results: its days, what earned the click, the account by day, its best pins. */
function AccountResults({ account, asked, first, now, timeZone, creatorPath }: ViewProps) {
  const { query, change } = asked;
  const { span, from, to, by, figure, top } = query;
  const days = useMemo(() => shownDays({ span, from, to }, now), [span, from, to, now]);
  const painted = useMemo(() => {
    const path = first.accountId && reportPath(first.accountId, shownDays(first.query, now), first.query.by);
    return { path, report: first.accountId === account.id ? first.report : null };
  }, [first, now, account.id]);
  const state = useReport(account.id, { days, by }, painted);
  if (state.error instanceof ApiError && state.error.status === GONE)
    return <AccountGone username={account.username} />;
  return (
    <>
      <RangeChoice query={query} days={days} now={now} timeZone={timeZone} onChange={change} />
      <ReportPart
        account={account}
        by={by}
        onBy={(value) => change({ by: value })}
        state={state}
        now={now}
        timeZone={timeZone}
        creatorPath={creatorPath}
      />
      <AccountPart
        account={account}
        days={days}
        figure={figure}
        timeZone={timeZone}
        onFigure={(value) => change({ figure: value })}
      />
      <TopPins account={account} days={days} top={top} timeZone={timeZone} onTop={(value) => change({ top: value })} />
    </>
  );
}

/** Analytics: what works, by account, board, pin and keyword. */
export function ResultsScreen({ accounts, first, paintedAt, timeZone: painted, creatorPath }: ResultsScreenProps) {
  const timeZone = useTimeZone(painted);
  const asked = useResultsAddress(first, accounts);
  const now = useUtcDay(paintedAt);
  const account = accounts.find(({ id }) => id === asked.accountId) ?? accounts[0] ?? null;
  return (
    <>
      <PageHead
        title="Analytics"
        action={
          <AccountChoice accounts={accounts} value={account?.id ?? null} onChange={asked.setAccountId} isLabelHidden />
        }
      >
        What works, in Pinterest’s own figures.
      </PageHead>
      {account ? (
        <AccountResults
          key={account.id}
          account={account}
          asked={asked}
          first={first}
          now={now}
          timeZone={timeZone}
          creatorPath={creatorPath}
        />
      ) : (
        <NoAccount>Connect a Pinterest account, and its figures appear here.</NoAccount>
      )}
    </>
  );
}
