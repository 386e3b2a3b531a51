import "server-only";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs, pinMetrics } from "#db/schema/analytics.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type OwnedAccount, type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { type DayRange, shiftDay } from "./policy.ts";

export const isFresh = (ctx: Ctx): SQL =>
  sql`${pinMetrics.fetchedAt} > now() - make_interval(hours => ${ctx.settings.analyticsCacheHours}::int)`;

/** The growth of a running-total array within a range; null without metrics. */
export const growthOf = (totals: SQL, { firstDay, lastDay }: DayRange): SQL => {
  const upTo = (day: string) =>
    sql`coalesce((${totals})[least(${day}::date - ${pinMetrics.firstDay} + 1, cardinality(${totals}))], 0)`;
  return sql`(${upTo(lastDay)} - ${upTo(shiftDay(firstDay, -1))})`;
};

export const sumOf = (totals: SQL, range: DayRange): SQL<number> =>
  sql<number>`coalesce(sum(${growthOf(totals, range)}), 0)::float8`;

export const sumsIn = (range: DayRange) => ({
  impressions: sumOf(sql`${pinMetrics.impressions}`, range),
  pinClicks: sumOf(sql`${pinMetrics.pinClicks}`, range),
  outboundClicks: sumOf(sql`${pinMetrics.outboundClicks}`, range),
  saves: sumOf(sql`${pinMetrics.saves}`, range),
});

/** Null when no sync was ever requested. */
export const findSync = async (
  ctx: Ctx,
  accountId: OwnedAccountId,
): Promise<typeof analyticsSyncs.$inferSelect | null> => {
  const [row] = await ctx.db.select().from(analyticsSyncs).where(eq(analyticsSyncs.accountId, accountId));
  return row ?? null;
};

const hasSync = (condition: SQL): SQL => sql`exists (select 1 from ${analyticsSyncs}
  where ${analyticsSyncs.accountId} = ${pinterestAccounts.id} and ${condition})`;

export const isWorking: SQL = hasSync(sql`${analyticsSyncs.wakeAt} is not null`);
const isHeld: SQL = hasSync(sql`${analyticsSyncs.wakeAt} is null and ${analyticsSyncs.problemText} is not null`);

const hasMetrics = (ctx: Ctx): SQL => sql`exists (select 1 from ${pinMetrics}
  where ${pinMetrics.accountId} = ${pinterestAccounts.id} and ${pinMetrics.state} = 'ready' and ${isFresh(ctx)})`;

const isMissingMetrics = (ctx: Ctx): SQL => sql`exists (select 1 from ${pins}
  where ${pins.accountId} = ${pinterestAccounts.id} and ${pins.status} = 'published'
    and ${pins.pinterestPinId} is not null and not exists (select 1 from ${pinMetrics}
      where ${pinMetrics.pinId} = ${pins.id} and (${pinMetrics.state} = 'gone' or ${isFresh(ctx)})))`;

/** Metrics are missing but no sync is running: the last run stopped early, or there are no metrics at all. */
export const isStuck = (ctx: Ctx): SQL =>
  sql`(not ${isWorking} and ${isMissingMetrics(ctx)} and (${isHeld} or not ${hasMetrics(ctx)}))`;

/** Stuck accounts where a retry may help. What Pinterest refused needs the user to act. */
export const isRetryable = (ctx: Ctx): SQL =>
  sql`(${isStuck(ctx)} and not ${hasSync(sql`${analyticsSyncs.heldBy} = 'refused'`)})`;

export const userTimeZone = sql<string>`coalesce(${users.chosenTimeZone}, ${users.timeZone})`;

export const findTimeZone = async (ctx: Ctx): Promise<string> => {
  const [row] = await ctx.db
    .select({ timeZone: userTimeZone })
    .from(users)
    .where(eq(users.id, requireUserId(ctx)));
  return row?.timeZone ?? "UTC";
};

export interface PublishedPin {
  id: string;
  pinterestPinId: string | null;
  title: string;
  keyword: string | null;
  imageKey: string;
}

export const findPublished = async (
  ctx: Ctx,
  accountId: OwnedAccountId,
  pinterestPinIds: readonly string[],
): Promise<PublishedPin[]> => {
  const { id, pinterestPinId, title, keyword, imageKey } = pins;
  return ctx.db
    .select({ id, pinterestPinId, title, keyword, imageKey })
    .from(pins)
    .where(and(isAnyOf(pinterestPinId, pinterestPinIds), eq(pins.accountId, accountId), eq(pins.status, "published")));
};

/** @throws AppError `not_found` when the account does not belong to the user, `reconnect_needed`. */
export const requireConnected = async (ctx: Ctx, accountId: string): Promise<OwnedAccount> => {
  const account = await requireOwnedAccount(ctx, accountId);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return account;
};
