import "server-only";
import { and, asc, count, inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { findOwnedAccounts, type OwnedAccount } from "#lib/features/accounts/queries.ts";
import { isAbove, others, recentSpan } from "#lib/features/analytics/policy.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { OVERVIEW_DAYS } from "./constants.ts";
import { addDays } from "./policy.ts";

/** What a user sees first: what is next, what waits for them, and what is missing. */
export interface Overview {
  hasAccount: boolean;
  hasPins: boolean;
  hasSchedule: boolean;
  /** The next pin that goes out. */
  next: { title: string; at: Date; accountId: string } | null;
  drafts: number;
  failed: number;
  /** Of the coming two weeks: days without a scheduled pin, and the first of them. */
  emptyDays: number;
  firstEmptyDay: string | null;
  /** Whose click rate is above the others' by more than luck. */
  leading: { keyword: string; accountId: string; clickRate: number } | null;
}

type Counts = Record<"draft" | "scheduled" | "published" | "failed", number>;

const countPins = async (ctx: Ctx, ids: readonly string[]): Promise<Counts> => {
  const rows = await ctx.db
    .select({ status: pins.status, pins: count() })
    .from(pins)
    .where(and(inArray(pins.accountId, [...ids]), inArray(pins.status, ["draft", "scheduled", "published", "failed"])))
    .groupBy(pins.status);
  const of = (status: keyof Counts) => rows.find((row) => row.status === status)?.pins ?? 0;
  return { draft: of("draft"), scheduled: of("scheduled"), published: of("published"), failed: of("failed") };
};

const findComing = (ctx: Ctx, ids: readonly string[], until: Date) =>
  ctx.db
    .select({
      title: pins.title,
      at: sql<Date>`${pins.scheduledAt}`.mapWith(pins.scheduledAt),
      accountId: pins.accountId,
    })
    .from(pins)
    // The literal status matches the partial index.
    .where(
      and(
        inArray(pins.accountId, [...ids]),
        sql`${pins.status} = 'scheduled'`,
        sql`${pins.scheduledAt} < ${until.toISOString()}::timestamptz`,
      ),
    )
    .orderBy(asc(pins.scheduledAt), asc(pins.id))
    .limit(5_000);

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

/** `timeZone`: in which days are counted. */
export const readOverview = async (ctx: Ctx, { timeZone }: { timeZone: string }): Promise<Overview> => {
  const accounts = await findOwnedAccounts(ctx);
  const ids = accounts.map(({ id }) => id);
  const now = ctx.now();
  const [counts, coming, leading] = await Promise.all([
    countPins(ctx, ids),
    findComing(ctx, ids, addMs(now, (OVERVIEW_DAYS + 1) * DAY_MS)),
    findLeading(ctx, accounts),
  ]);
  const today = localTimeOf(now, timeZone).date;
  const planned = new Set(coming.map(({ at }) => localTimeOf(at, timeZone).date));
  // From tomorrow on: today's pins may all be out already.
  const days = Array.from({ length: OVERVIEW_DAYS }, (_, day) => addDays(today, day + 1));
  const empty = days.filter((day) => !planned.has(day));
  return {
    hasAccount: accounts.length > 0,
    hasPins: Object.values(counts).some((some) => some > 0),
    hasSchedule: counts.scheduled + counts.published > 0,
    next: coming[0] ?? null,
    drafts: counts.draft,
    failed: counts.failed,
    emptyDays: empty.length,
    firstEmptyDay: empty[0] ?? null,
    leading,
  };
};
