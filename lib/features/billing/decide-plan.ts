import "server-only";
import { DAY_MS } from "#lib/core/time.ts";
import type { PlanSlug } from "#lib/features/identity/constants.ts";
import type { Subscription } from "./queries.ts";
import type { PaidPeriod } from "./sum-periods.ts";

/** What follows from somebody's subscriptions and what was paid for them. */
export interface PlanDecision {
  /** Null where nothing was ever paid: what the plan is then, is not decided by payments. */
  plan: { plan: PlanSlug; planEndsAt: Date | null } | null;
  /** Subscriptions that were paid for beside the one that gives the plan. */
  heldIds: string[];
  /** Periods that never gave anything: another subscription gave the plan as long as they lasted. */
  held: PaidPeriod[];
  /** The others. */
  counting: PaidPeriod[];
  /** Whose allowance is the present one, or the last one was; null where there is none to give. */
  newest: PaidPeriod | null;
}

/** A time for which a subscription was paid for without a gap, from its beginning to the end that is known. */
interface Term {
  id: string;
  startsAt: Date;
  endsAt: Date | null;
  isLast: boolean;
  /** The newest first. */
  periods: [PaidPeriod, ...PaidPeriod[]];
}

/** Periods that lie no farther apart are one term; a renewal follows at once. */
const GAP_MS = DAY_MS;

const follows = (startsAt: Date, before: PaidPeriod): boolean => startsAt.getTime() - before.endsAt.getTime() <= GAP_MS;

/** When a subscription stops giving its plan, as far as that is known. */
const endOf = (row: Subscription | undefined, newest: PaidPeriod): Date | null => {
  // Paid for, and nothing told of it yet: good for what was paid.
  if (!row) return newest.endsAt;
  if (row.status === "canceled") return row.canceledAt ?? row.asOf;
  if (row.status === "paused") return row.pausedAt ?? row.asOf;
  // Resumed into a period that nobody paid for so far: it waits for the payment.
  if (row.periodStartsAt && !follows(row.periodStartsAt, newest)) return newest.endsAt;
  return row.scheduledAction === "cancel" || row.scheduledAction === "pause" ? row.scheduledAt : null;
};

/** The terms of one subscription, the last one first. @param periods its own, the newest first */
const splitTerms = (id: string, row: Subscription | undefined, periods: readonly PaidPeriod[]): Term[] => {
  const runs: [PaidPeriod, ...PaidPeriod[]][] = [];
  for (const period of periods) {
    const run = runs.at(-1);
    const after = run?.at(-1);
    if (run && after && follows(after.startsAt, period)) run.push(period);
    else runs.push([period]);
  }
  return runs.map((run, at) => {
    const oldest = run.at(-1) ?? run[0];
    const isOnly = runs.length === 1;
    const startsAt = isOnly && row?.startedAt && row.startedAt < oldest.startsAt ? row.startedAt : oldest.startsAt;
    return { id, startsAt, endsAt: at === 0 ? endOf(row, run[0]) : run[0].endsAt, isLast: at === 0, periods: run };
  });
};

const FOREVER = Number.POSITIVE_INFINITY;

const endTime = (endsAt: Date | null): number => endsAt?.getTime() ?? FOREVER;

/** The periods of a term that give nothing, for terms that began before it reach beyond them, or beyond this moment. */
const findCovered = ({ periods, endsAt }: Term, reach: number, now: Date): PaidPeriod[] =>
  periods.filter((period, at) => reach > now.getTime() || reach >= endTime(at === 0 ? endsAt : period.endsAt));

const byStart = (one: Term, other: Term): number =>
  one.startsAt.getTime() - other.startsAt.getTime() || one.id.localeCompare(other.id);

/** Without a plan now: the allowance that was the last one, as far as its month still runs. */
const findLast = (terms: readonly Term[], held: ReadonlySet<PaidPeriod>, now: Date): PaidPeriod | null => {
  const ended = terms.filter(({ periods: [newest] }) => !held.has(newest) && newest.endsAt > now);
  const [last] = ended.toSorted((one, other) => endTime(other.endsAt) - endTime(one.endsAt) || byStart(one, other));
  return last?.periods[0] ?? null;
};

/**
 * Decides somebody's plan from stored facts: that of the newest paid period of the subscription that goes on; past due
 * it goes on, paused or ended it gives the free plan. Of several at one time the one that was paid for first gives; the
 * others are held, and give from its end on. What order the facts came in does not matter.
 * @param periods the newest first
 */
export const decidePlan = (rows: readonly Subscription[], periods: readonly PaidPeriod[], now: Date): PlanDecision => {
  const terms = [...Map.groupBy(periods, ({ subscriptionId }) => subscriptionId)]
    .flatMap(([id, own]) =>
      splitTerms(
        id,
        rows.find((row) => row.id === id),
        own,
      ),
    )
    .toSorted(byStart);
  const held = new Set<PaidPeriod>();
  let reach = Number.NEGATIVE_INFINITY;
  for (const term of terms) {
    for (const period of findCovered(term, reach, now)) held.add(period);
    reach = Math.max(reach, endTime(term.endsAt));
  }
  const giving = terms.find(({ endsAt }) => endsAt === null || endsAt > now);
  const decided = {
    heldIds: terms.flatMap(({ id, isLast, periods: [newest] }) => (isLast && held.has(newest) ? [id] : [])),
    held: periods.filter((period) => held.has(period)),
    counting: periods.filter((period) => !held.has(period)),
  };
  if (!giving) {
    const plan = terms.length > 0 ? { plan: "free" as const, planEndsAt: null } : null;
    return { ...decided, plan, newest: findLast(terms, held, now) };
  }
  const [newest] = giving.periods;
  return { ...decided, plan: { plan: newest.plan, planEndsAt: giving.endsAt }, newest };
};
