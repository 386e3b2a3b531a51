"use client";

import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { AccountChoice, type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { type UrlForm, type UrlView, useUrlView } from "#components/shared/use-url-view.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { ApiError } from "#lib/client/api.ts";
import { DAY_MS, SECOND_MS } from "#lib/core/time.ts";
import { dayOf, firstAvailableDay } from "#lib/features/analytics/policy.ts";
import type { ReportWire } from "#lib/features/analytics/schema.ts";
import { AccountSection } from "./account-section.tsx";
import {
  type AnalyticsQuery,
  readAnalyticsQuery,
  reportPath,
  type ShownDays,
  type Span,
  shownDays,
  writeAnalyticsQuery,
} from "./analytics-query.ts";
import { dayEndText, daysText, fewerText } from "./analytics-text.ts";
import { ReportSection } from "./report-section.tsx";
import { TopPins } from "./top-pins.tsx";
import { useReport } from "./use-report.ts";
import { Variants } from "./variants.tsx";

type RangeChoiceProps = {
  query: AnalyticsQuery;
  days: ShownDays;
  now: Date;
  timeZone: string;
  onChange: (part: Partial<AnalyticsQuery>) => void;
};

const SPAN_OPTIONS: readonly { value: `${Span}`; label: string }[] = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "chosen", label: "Custom" },
];

const SPAN_VALUES: Record<string, Span> = { 7: 7, 30: 30, 90: 90, chosen: "chosen" };

function ChosenDays({ query, days, now, onChange }: Omit<RangeChoiceProps, "timeZone">) {
  const [from, setFrom] = useState(query.from || days.firstDay);
  const [to, setTo] = useState(query.to || days.lastDay);
  const form = useRef<HTMLFormElement>(null);
  const [previousQuery, setPreviousQuery] = useState(query);
  const [submitCount, setSubmitCount] = useState(0);
  if (previousQuery.from !== query.from || previousQuery.to !== query.to) {
    setPreviousQuery(query);
    setFrom(query.from || days.firstDay);
    setTo(query.to || days.lastDay);
  }
  useEffect(() => {
    if (submitCount > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [submitCount]);
  const bounds = { min: firstAvailableDay(now), max: dayOf(now) };
  const errorOf = (field: "from" | "to") => (days.problem?.field === field ? days.problem.text : undefined);
  const show = (event: FormEvent) => {
    event.preventDefault();
    onChange({ span: "chosen", from, to });
    setSubmitCount((before) => before + 1);
  };
  return (
    <form
      ref={form}
      className={cn(
        "col-span-full flex flex-wrap items-start gap-3 [&>:not([data-slot=button])]:flex-[0_1_12rem]",
        "max-md:[&>:not([data-slot=button])]:flex-[1_1_9rem]",
      )}
      onSubmit={show}
      noValidate
    >
      <TextField
        type="date"
        label="Start date"
        value={from}
        {...bounds}
        error={errorOf("from")}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        type="date"
        label="End date"
        value={to}
        {...bounds}
        error={errorOf("to")}
        onChange={(event) => setTo(event.target.value)}
      />
      <Button type="submit" className="mt-6 max-md:flex-[1_1_100%] max-md:mt-0">
        Show these dates
      </Button>
    </form>
  );
}

/** The range picker: presets or custom dates, and when Pinterest's days end in the user's time zone. */
function RangeChoice({ query, days, now, timeZone, onChange }: RangeChoiceProps) {
  const { problem } = days;
  const fewer = query.span === "chosen" ? "" : fewerText(days, query.span);
  return (
    <section
      className={cn(
        "grid grid-cols-[minmax(0,26rem)_minmax(0,1fr)] gap-y-3.5 gap-x-5.5 items-center mb-9",
        "max-[64rem]:grid-cols-1 max-md:mb-7",
      )}
      aria-label="Days"
    >
      <Segment
        label="Days"
        isLabelHidden
        className="max-[64rem]:max-w-[26rem]"
        options={SPAN_OPTIONS}
        value={`${query.span}`}
        onChange={(value) => {
          const span = SPAN_VALUES[value] ?? 30;
          onChange(span === "chosen" ? { span, from: days.firstDay, to: days.lastDay } : { span, from: "", to: "" });
        }}
      />
      <p
        data-slot="range-summary"
        className="grid gap-px text-sm/[1.45] text-ink-3 [&_b]:block [&_b]:font-[550] [&_b]:text-ink num"
      >
        <span role="status">
          <b>
            {problem && "We can't show those dates. Showing "}
            {daysText(days)}
          </b>{" "}
          {fewer}
        </span>
        <span>Pinterest's days end at midnight UTC, which is {dayEndText(days.lastDay, timeZone)} your time.</span>
      </p>
      {query.span === "chosen" && <ChosenDays query={query} days={days} now={now} onChange={onChange} />}
    </section>
  );
}

/**
 * The current time by UTC day: the server's render time, then each new UTC midnight. A range that was valid yesterday
 * may be too old today.
 */
const useUtcDay = (paintedAt: string): Date => {
  const [now, setNow] = useState(() => new Date(paintedAt));
  useEffect(() => {
    const midnight = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS + DAY_MS + SECOND_MS);
    const timer = setTimeout(() => setNow(midnight), midnight.getTime() - now.getTime());
    return () => clearTimeout(timer);
  }, [now]);
  return now;
};

/** Other days or groups get their own history entry. */
const URL_FORM: UrlForm<AnalyticsQuery> = {
  read: readAnalyticsQuery,
  write: writeAnalyticsQuery,
  isNewView: (before, after) =>
    before.span !== after.span || before.from !== after.from || before.to !== after.to || before.by !== after.by,
};

/** The server-rendered state. */
type InitialAnalytics = { accountId: string | null; query: AnalyticsQuery; report: ReportWire | null };

type AnalyticsScreenProps = {
  accounts: AccountOption[];
  first: InitialAnalytics;
  /** ISO 8601: when the server rendered the page. */
  paintedAt: string;
  timeZone: string;
  creatorPath: string;
};

type ViewProps = Omit<AnalyticsScreenProps, "accounts" | "paintedAt"> & {
  account: AccountOption;
  view: UrlView<AnalyticsQuery>;
  now: Date;
};

const NOT_FOUND = 404;

function AccountMissing({ username }: { username: string }) {
  return (
    <EmptyState
      title={`${username} is no longer connected`}
      action={
        <LinkButton variant="primary" href="/app">
          View your accounts
        </LinkButton>
      }
    >
      Reconnect it to see its pins and their analytics again.
    </EmptyState>
  );
}

function AccountAnalytics({ account, view, first, now, timeZone, creatorPath }: ViewProps) {
  const { query, change } = view;
  const { span, from, to, by, metric, top } = query;
  const days = useMemo(() => shownDays({ span, from, to }, now), [span, from, to, now]);
  const painted = useMemo(() => {
    const path = first.accountId && reportPath(first.accountId, shownDays(first.query, now), first.query.by);
    return { path, report: first.accountId === account.id ? first.report : null };
  }, [first, now, account.id]);
  const state = useReport(account.id, { days, by }, painted);
  if (state.error instanceof ApiError && state.error.status === NOT_FOUND)
    return <AccountMissing username={account.username} />;
  return (
    <>
      <RangeChoice query={query} days={days} now={now} timeZone={timeZone} onChange={change} />
      <ReportSection
        account={account}
        by={by}
        onBy={(value) => change({ by: value })}
        state={state}
        now={now}
        timeZone={timeZone}
        creatorPath={creatorPath}
      />
      <AccountSection
        account={account}
        days={days}
        metric={metric}
        timeZone={timeZone}
        onMetricChange={(value) => change({ metric: value })}
      />
      <TopPins account={account} days={days} top={top} timeZone={timeZone} onTop={(value) => change({ top: value })} />
      {state.report?.gather.state !== "off" && (
        <Variants
          account={account}
          creatorPath={creatorPath}
          timeZone={timeZone}
          now={now}
          counted={state.report?.gather.counted ?? 0}
        />
      )}
    </>
  );
}

/** The Analytics screen: metrics by account, group and pin. */
export function AnalyticsScreen({ accounts, first, paintedAt, timeZone: painted, creatorPath }: AnalyticsScreenProps) {
  const timeZone = useTimeZone(painted);
  const view = useUrlView(first, accounts, URL_FORM);
  const now = useUtcDay(paintedAt);
  const account = accounts.find(({ id }) => id === view.accountId) ?? accounts[0] ?? null;
  return (
    <>
      <PageHeader
        title="Analytics"
        action={
          <AccountChoice accounts={accounts} value={account?.id ?? null} onChange={view.setAccountId} isLabelHidden />
        }
      >
        See what works, with data from Pinterest.
      </PageHeader>
      {account ? (
        <AccountAnalytics
          key={account.id}
          account={account}
          view={view}
          first={first}
          now={now}
          timeZone={timeZone}
          creatorPath={creatorPath}
        />
      ) : (
        <NoAccount>Connect a Pinterest account to see its analytics here.</NoAccount>
      )}
    </>
  );
}
