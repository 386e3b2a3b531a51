"use client";

import {
  type FormEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { AccountChoice, type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { PageHead } from "#components/shared/page-head.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { ApiError } from "#lib/client/api.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { DAY_MS, SECOND_MS } from "#lib/core/time.ts";
import { dayOf, firstToldDay } from "#lib/features/analytics/policy.ts";
import type { ReportWire } from "#lib/features/analytics/schema.ts";
import { AccountPart } from "./account-part.tsx";
import { ReportPart } from "./report-part.tsx";
import { dayEndText, daysText, fewerText } from "./result-words.ts";
import {
  type ResultsQuery,
  readResultsQuery,
  reportPath,
  type ShownDays,
  type Span,
  shownDays,
  writeResultsQuery,
} from "./results-query.ts";
import { TopPins } from "./top-pins.tsx";
import { useReport } from "./use-report.ts";

type RangeChoiceProps = {
  query: ResultsQuery;
  days: ShownDays;
  now: Date;
  timeZone: string;
  onChange: (part: Partial<ResultsQuery>) => void;
};

const SPAN_OPTIONS: readonly { value: `${Span}`; label: string }[] = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "chosen", label: "Other" },
];

const SPAN_VALUES: Record<string, Span> = { 7: 7, 30: 30, 90: 90, chosen: "chosen" };

function ChosenDays({ query, days, now, onChange }: Omit<RangeChoiceProps, "timeZone">) {
  const [from, setFrom] = useState(query.from || days.firstDay);
  const [to, setTo] = useState(query.to || days.lastDay);
  const form = useRef<HTMLFormElement>(null);
  const [asked, setAsked] = useState(query);
  const [turn, setTurn] = useState(0);
  if (asked.from !== query.from || asked.to !== query.to) {
    setAsked(query);
    setFrom(query.from || days.firstDay);
    setTo(query.to || days.lastDay);
  }
  useEffect(() => {
    if (turn > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [turn]);
  const bounds = { min: firstToldDay(now), max: dayOf(now) };
  const errorOf = (field: "from" | "to") => (days.problem?.field === field ? days.problem.text : undefined);
  const show = (event: FormEvent) => {
    event.preventDefault();
    onChange({ span: "chosen", from, to });
    setTurn((before) => before + 1);
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
        label="First day"
        value={from}
        {...bounds}
        error={errorOf("from")}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        type="date"
        label="Last day"
        value={to}
        {...bounds}
        error={errorOf("to")}
        onChange={(event) => setTo(event.target.value)}
      />
      <Button type="submit" className="mt-6 max-md:flex-[1_1_100%] max-md:mt-0">
        Show these days
      </Button>
    </form>
  );
}

/** Which days are shown: a span or two days, and when a day of Pinterest's ends for whoever reads. */
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
        data-slot="range-words"
        className="grid gap-px text-sm/[1.45] text-ink-3 [&_b]:block [&_b]:font-[550] [&_b]:text-ink num"
      >
        <span role="status">
          <b>
            {problem && "Not those days. Shown are "}
            {daysText(days)}
          </b>{" "}
          {fewer}
        </span>
        <span>Pinterest’s days end at midnight UTC, which is {dayEndText(days.lastDay, timeZone)} for you.</span>
      </p>
      {query.span === "chosen" && <ChosenDays query={query} days={days} now={now} onChange={onChange} />}
    </section>
  );
}

/**
 * The moment that days are told from: when the page was painted, by the server's clock, then the beginning of each new
 * day in UTC. What was asked for yesterday may be too old today.
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

const queryOf = (search: URLSearchParams): ResultsQuery => readResultsQuery(Object.fromEntries(search));

/** Whether the way back leads from one query to the other: other days or other groups are another view. */
const areSteps = (before: ResultsQuery, after: ResultsQuery): boolean =>
  before.span !== after.span || before.from !== after.from || before.to !== after.to || before.by !== after.by;

/** What is asked for, and how to ask for something else. */
interface Asked {
  accountId: string | null;
  setAccountId: (accountId: string) => void;
  query: ResultsQuery;
  change: (part: Partial<ResultsQuery>) => void;
}

/** Keeps account, days, groups and figures in the address, so that reload, a shared link and the way back show the same. */
const useResultsAddress = (
  first: { accountId: string | null; query: ResultsQuery },
  accounts: readonly { id: string }[],
): Asked => {
  const [accountId, setAccountId] = useState(first.accountId);
  const [query, setQuery] = useState(first.query);
  const read = useEffectEvent(() => {
    const search = new URLSearchParams(location.search);
    const named = accounts.find(({ id }) => id === search.get("account"));
    setAccountId(named?.id ?? accountId);
    setQuery(queryOf(search));
  });
  // On the way back the router paints what it kept of the first visit: what is asked for now stands in the address.
  useLayoutEffect(() => read(), []);
  useEffect(
    () =>
      editQuery(
        (search) => {
          if (accountId) search.set("account", accountId);
          for (const [name, value] of Object.entries(writeResultsQuery(query))) {
            if (value === null) search.delete(name);
            else search.set(name, value);
          }
        },
        { isStep: (before) => areSteps(queryOf(before), query) },
      ),
    [accountId, query],
  );
  useEffect(() => {
    const { pathname } = location;
    const hear = () => {
      if (location.pathname === pathname) read();
    };
    window.addEventListener("popstate", hear);
    return () => window.removeEventListener("popstate", hear);
  }, []);
  return {
    accountId,
    setAccountId,
    query,
    change: useCallback((part) => setQuery((before) => ({ ...before, ...part })), []),
  };
};

/** What the server put on the first paint, and what it was asked for. */
type FirstResults = { accountId: string | null; query: ResultsQuery; report: ReportWire | null };

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
