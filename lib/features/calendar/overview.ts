import "server-only";
import { and, asc, count, desc, gte, inArray, lt, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { findOwnedAccounts, type OwnedAccount } from "#lib/features/accounts/queries.ts";
import { isAbove, others, recentSpan } from "#lib/features/analytics/policy.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { OVERVIEW_DAYS } from "./constants.ts";
import { addDays } from "./policy.ts";

/** More coming pins are not needed to find the empty days of a normal plan. */
const COMING_MAX = 5_000;

/** Pins of all accounts, and the account with the most of them. */
export interface Waiting {
  pins: number;
  accountId: string;
}

/** What a user sees first: what is next, what waits for them, and what is missing. */
export interface Overview {
  hasAccount: boolean;
  hasPins: boolean;
  hasSchedule: boolean;
  next: { title: string; at: Date; accountId: string; timeZone: string } | null;
  drafts: Waiting | null;
  failed: Waiting | null;
  /** The account with the most days without a scheduled pin in the coming two weeks; its name when there are others. */
  gap: { accountId: string; username: string | null; days: number; firstDay: string } | null;
  /** Whose click rate is above the others' by more than luck. */
  leading: { keyword: string; accountId: string; clickRate: number } | null;
}

const countPins = (ctx: Ctx, ids: readonly string[]) =>
  ctx.db
    .select({ status: pins.status, accountId: pins.accountId, pins: count() })
    .from(pins)
    .where(and(isAnyOf(pins.accountId, ids), inArray(pins.status, ["draft", "scheduled", "published", "failed"])))
    .groupBy(pins.status, pins.accountId)
    .orderBy(desc(count()), asc(pins.accountId));

type Counts = Awaited<ReturnType<typeof countPins>>;

const waitingOf = (counts: Counts, status: Counts[number]["status"]): Waiting | null => {
  const own = counts.filter((row) => row.status === status);
  const [most] = own;
  return most ? { pins: own.reduce((sum, row) => sum + row.pins, 0), accountId: most.accountId } : null;
};

interface Coming {
  title: string;
  at: Date;
  accountId: string;
}

/** The first ones, up to a time. What is overdue is shown where it can be resumed. */
const findComing = (ctx: Ctx, ids: readonly string[], { max, until }: { max: number; until?: Date }) => {
  const at = sql<Date>`${pins.scheduledAt}`.mapWith(pins.scheduledAt);
  // The literal status matches the partial index.
  const isComing = and(
    isAnyOf(pins.accountId, ids),
    sql`${pins.status} = 'scheduled'`,
    gte(pins.scheduledAt, ctx.now()),
    until && lt(pins.scheduledAt, until),
  );
  return ctx.db
    .select({ title: pins.title, at, accountId: pins.accountId })
    .from(pins)
    .where(isComing)
    .orderBy(asc(pins.scheduledAt), asc(pins.id))
    .limit(max);
};

/** From tomorrow on, in the account's zone: today's pins may all be out already. */
const gapOf = ({ id, username, timeZone }: OwnedAccount, coming: readonly Coming[], now: Date, zone: string) => {
  const own = timeZone ?? zone;
  const planned = new Set(coming.flatMap(({ at, accountId }) => (accountId === id ? localTimeOf(at, own).date : [])));
  const today = localTimeOf(now, own).date;
  const days = Array.from({ length: OVERVIEW_DAYS }, (_, day) => addDays(today, day + 1));
  const empty = days.filter((day) => !planned.has(day));
  return { accountId: id, username, days: empty.length, firstDay: empty[0] ?? today };
};

const findLeading = async (ctx: Ctx, accounts: readonly OwnedAccount[]): Promise<Overview["leading"]> => {
  for (const { id } of accounts) {
    const { groups, totals } = await readReport(ctx, { accountId: id, ...recentSpan(ctx.now(), 30), by: "keyword" });
    const known = groups.filter(({ key, isUndecided }) => key !== "" && !isUndecided);
    const [best] = known;
    if (best?.label && isAbove(best.sums, others(totals, best.sums), known.length)) {
      return { keyword: best.label, accountId: id, clickRate: best.sums.outboundClicks / best.sums.impressions };
    }
  }
  return null;
};

/** `timeZone`: for accounts without their own. */
export const readOverview = async (ctx: Ctx, { timeZone }: { timeZone: string }): Promise<Overview> => {
  const accounts = await findOwnedAccounts(ctx);
  const ids = accounts.map(({ id }) => id);
  const now = ctx.now();
  const until = addMs(now, (OVERVIEW_DAYS + 2) * DAY_MS);
  const [counts, [next], coming, leading] = await Promise.all([
    countPins(ctx, ids),
    findComing(ctx, ids, { max: 1 }),
    findComing(ctx, ids, { max: COMING_MAX, until }),
    findLeading(ctx, accounts),
  ]);
  const gaps = accounts.map((account) => gapOf(account, coming, now, timeZone)).filter(({ days }) => days > 0);
  const nextAccount = accounts.find(({ id }) => id === next?.accountId);
  const [gap] = gaps.toSorted((a, b) => b.days - a.days);
  return {
    hasAccount: accounts.length > 0,
    hasPins: counts.length > 0,
    hasSchedule: counts.some(({ status }) => status !== "draft"),
    next: next ? { ...next, timeZone: nextAccount?.timeZone ?? timeZone } : null,
    drafts: waitingOf(counts, "draft"),
    failed: waitingOf(counts, "failed"),
    gap: gap ? { ...gap, username: accounts.length > 1 ? gap.username : null } : null,
    leading,
  };
};
