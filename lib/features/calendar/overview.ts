import "server-only";
import { and, asc, count, gte, inArray, lt, sql } from "drizzle-orm";
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

/** What a user sees first: what is next, what waits for them, and what is missing. */
export interface Overview {
  hasAccount: boolean;
  hasPins: boolean;
  hasSchedule: boolean;
  /** The next pin that goes out. */
  next: { title: string; at: Date; accountId: string; timeZone: string } | null;
  drafts: number;
  failed: number;
  /** The account with the most days without a scheduled pin in the coming two weeks; its name when there are others. */
  gap: { accountId: string; username: string | null; days: number; firstDay: string } | null;
  /** Whose click rate is above the others' by more than luck. */
  leading: { keyword: string; accountId: string; clickRate: number } | null;
}

type Counts = Record<"draft" | "scheduled" | "published" | "failed", number>;

const countPins = async (ctx: Ctx, ids: readonly string[]): Promise<Counts> => {
  const rows = await ctx.db
    .select({ status: pins.status, pins: count() })
    .from(pins)
    .where(and(isAnyOf(pins.accountId, ids), inArray(pins.status, ["draft", "scheduled", "published", "failed"])))
    .groupBy(pins.status);
  const of = (status: keyof Counts) => rows.find((row) => row.status === status)?.pins ?? 0;
  return { draft: of("draft"), scheduled: of("scheduled"), published: of("published"), failed: of("failed") };
};

interface Coming {
  title: string;
  at: Date;
  accountId: string;
}

const findComing = async (ctx: Ctx, ids: readonly string[], until: Date): Promise<Coming[]> => {
  const at = sql<Date>`${pins.scheduledAt}`.mapWith(pins.scheduledAt);
  return (
    ctx.db
      .select({ title: pins.title, at, accountId: pins.accountId })
      .from(pins)
      // The literal status matches the partial index. What is overdue is shown where it can be resumed.
      .where(
        and(
          isAnyOf(pins.accountId, ids),
          sql`${pins.status} = 'scheduled'`,
          gte(pins.scheduledAt, ctx.now()),
          lt(pins.scheduledAt, until),
        ),
      )
      .orderBy(asc(pins.scheduledAt), asc(pins.id))
      .limit(COMING_MAX)
  );
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
  const [counts, coming, leading] = await Promise.all([
    countPins(ctx, ids),
    findComing(ctx, ids, addMs(now, (OVERVIEW_DAYS + 2) * DAY_MS)),
    findLeading(ctx, accounts),
  ]);
  const gaps = accounts.map((account) => gapOf(account, coming, now, timeZone)).filter(({ days }) => days > 0);
  const [next] = coming;
  const nextAccount = accounts.find(({ id }) => id === next?.accountId);
  const [gap] = gaps.toSorted((a, b) => b.days - a.days);
  return {
    hasAccount: accounts.length > 0,
    hasPins: Object.values(counts).some((some) => some > 0),
    hasSchedule: counts.scheduled + counts.published + counts.failed > 0,
    next: next ? { ...next, timeZone: nextAccount?.timeZone ?? timeZone } : null,
    drafts: counts.draft,
    failed: counts.failed,
    gap: gap ? { ...gap, username: accounts.length > 1 ? gap.username : null } : null,
    leading,
  };
};
