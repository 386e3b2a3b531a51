import Check from "lucide-react/icons/check";
import Link from "next/link";
import { cn } from "#components/ui/cn.ts";
import { calendarUrl, generatedPostsUrl } from "#lib/core/paths.ts";
import { countOf } from "#lib/core/text.ts";
import { formatDateTime } from "#lib/core/time.ts";
import { OVERVIEW_DAYS } from "#lib/features/calendar/constants.ts";
import type { Overview } from "#lib/features/calendar/overview.ts";

type Entry = { label: string; value: string; action: string; href: string; isUrgent?: boolean };

const percent = (rate: number): string =>
  new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 }).format(rate);

type Facts = { overview: Overview; credits: number; creatorPath: string };

/** What is next and what needs a hand, the most urgent first. Empty facts are left out. */
const entriesOf = ({ overview, credits, creatorPath }: Facts): Entry[] => {
  const { next, drafts, failed, gap, leading } = overview;
  const entries: (Entry | false)[] = [
    failed !== null && {
      ...{ label: "Needs attention", value: `${countOf(failed.pins, "pin")} couldn't be published`, isUrgent: true },
      ...{ action: "See why", href: generatedPostsUrl("failed", failed.accountId) },
    },
    {
      label: "Next",
      // The time comes first, because a long title is cut off.
      value: next ? `${formatDateTime(next.at.toISOString(), next.timeZone)} · ${next.title}` : "Nothing is scheduled",
      action: next ? "Open the calendar" : "Schedule drafts",
      href: next ? calendarUrl(next.accountId) : generatedPostsUrl("draft", drafts?.accountId),
    },
    drafts !== null && {
      ...{ label: "Drafts", value: `${countOf(drafts.pins, "draft")} to choose from` },
      ...{ action: "Choose", href: generatedPostsUrl("draft", drafts.accountId) },
    },
    gap !== null && {
      label: gap.username === null ? "Next two weeks" : `Next two weeks, ${gap.username}`,
      value: gap.days === OVERVIEW_DAYS ? "Nothing scheduled" : `${countOf(gap.days, "day")} without a pin`,
      action: "Plan in calendar",
      href: calendarUrl(gap.accountId, { date: gap.firstDay }),
    },
    {
      label: "Credits",
      value: countOf(credits, "credit"),
      action: credits > 0 ? "Create pins" : "Buy credits",
      href: credits > 0 ? creatorPath : "/app/buy-credits",
    },
    leading !== null && {
      label: "Best keyword",
      value: `“${leading.keyword}”, ${percent(leading.clickRate)} click rate`,
      action: "See results",
      href: `/app/analytics?account=${encodeURIComponent(leading.accountId)}`,
    },
  ];
  return entries.filter((entry) => entry !== false);
};

type Step = { label: string; isDone: boolean; href: string | null };

/** The way to the first published pin. The button to connect is on the same screen. */
const stepsOf = ({ overview, creatorPath }: Facts): Step[] => [
  { label: "Connect your Pinterest account", isDone: overview.hasAccount, href: null },
  { label: "Create pins from your first keywords", isDone: overview.hasPins, href: creatorPath },
  {
    label: "Choose pins and schedule them",
    isDone: overview.hasSchedule,
    href: generatedPostsUrl("draft", overview.drafts?.accountId),
  },
];

function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const current = steps.findIndex(({ isDone }) => !isDone);
  return (
    <ol className="grid gap-2" aria-label="First steps">
      {steps.map(({ label, isDone, href }, index) => (
        <li key={label} className="flex items-center gap-3 text-sm">
          <span
            aria-hidden="true"
            className={cn(
              "num grid size-6 flex-none place-items-center rounded-full text-xs",
              isDone ? "bg-accent text-on-accent" : "bg-well text-ink-2",
            )}
          >
            {isDone ? <Check size={14} /> : index + 1}
          </span>
          {index === current && href ? (
            <Link className="link" href={href}>
              {label}
            </Link>
          ) : (
            <span className={isDone ? "text-ink-3" : "font-[550]"}>{label}</span>
          )}
          {isDone && <span className="sr-only">Done</span>}
        </li>
      ))}
    </ol>
  );
}

/** Answers "what now?" above the accounts: one line per fact, each with its next action. */
export function OverviewStrip(facts: Facts) {
  const isNew = !facts.overview.hasSchedule;
  return (
    <section
      aria-label="What's next"
      data-slot="overview"
      className="mb-7 rounded-card bg-surface px-5 py-4 shadow-card max-md:px-4"
    >
      {isNew ? (
        <FirstSteps steps={stepsOf(facts)} />
      ) : (
        <dl className="grid grid-cols-[repeat(auto-fill,minmax(200px,1fr))] gap-x-6 gap-y-4 min-[24rem]:max-sm:grid-cols-2">
          {entriesOf(facts).map(({ label, value, action, href, isUrgent }) => (
            <div key={label} className="min-w-0">
              <dt className={cn("text-xs", isUrgent ? "font-semibold text-failed-ink" : "text-ink-3")}>{label}</dt>
              <dd className="num line-clamp-2 text-sm font-[550] wrap-anywhere">{value}</dd>
              <dd>
                <Link className="link text-sm" href={href}>
                  {action}
                </Link>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
