import "server-only";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinFigures, resultGathers } from "#db/schema/analytics.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type OwnedAccount, type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { type DayRange, shiftDay } from "./policy.ts";

/** Figures that may still be shown: kept for so many hours and no longer (D8). */
export const isFresh = (ctx: Ctx): SQL =>
  sql`${pinFigures.fetchedAt} > now() - make_interval(hours => ${ctx.settings.analyticsCacheHours}::int)`;

/**
 * What a list of running totals grew by in a range. Days before the list count as nothing, days after its last final
 * one do not count; without figures it is null.
 */
export const growthOf = (totals: SQL, { firstDay, lastDay }: DayRange): SQL => {
  const upTo = (day: string) =>
    sql`coalesce((${totals})[least(${day}::date - ${pinFigures.firstDay} + 1, cardinality(${totals}))], 0)`;
  return sql`(${upTo(lastDay)} - ${upTo(shiftDay(firstDay, -1))})`;
};

export const sumOf = (totals: SQL, range: DayRange): SQL<number> =>
  sql<number>`coalesce(sum(${growthOf(totals, range)}), 0)::float8`;

/** The sums of all figures that are joined. */
export const sumsIn = (range: DayRange) => ({
  impressions: sumOf(sql`${pinFigures.impressions}`, range),
  pinClicks: sumOf(sql`${pinFigures.pinClicks}`, range),
  outboundClicks: sumOf(sql`${pinFigures.outboundClicks}`, range),
  saves: sumOf(sql`${pinFigures.saves}`, range),
});

/** The fetching of an account's figures; null while nobody asked for them. */
export const findGather = async (
  ctx: Ctx,
  accountId: OwnedAccountId,
): Promise<typeof resultGathers.$inferSelect | null> => {
  const [row] = await ctx.db.select().from(resultGathers).where(eq(resultGathers.accountId, accountId));
  return row ?? null;
};

const ofAccount = (condition: SQL): SQL => sql`exists (select 1 from ${resultGathers}
  where ${resultGathers.accountId} = ${pinterestAccounts.id} and ${condition})`;

/** Accounts, in a query that has them, whose figures are being fetched. */
export const isWorking: SQL = ofAccount(sql`${resultGathers.wakeAt} is not null`);
const isHeld: SQL = ofAccount(sql`${resultGathers.wakeAt} is null and ${resultGathers.problemText} is not null`);

/** Something is known of the account's pins: what is kept of at least one of them. */
const isCounted = (ctx: Ctx): SQL => sql`exists (select 1 from ${pinFigures}
  where ${pinFigures.accountId} = ${pinterestAccounts.id} and ${pinFigures.state} = 'ready' and ${isFresh(ctx)})`;

/** Of a published pin nothing is known, although Pinterest may have it. */
const isLacking = (ctx: Ctx): SQL => sql`exists (select 1 from ${pins}
  where ${pins.accountId} = ${pinterestAccounts.id} and ${pins.status} = 'published'
    and ${pins.pinterestPinId} is not null and not exists (select 1 from ${pinFigures}
      where ${pinFigures.pinId} = ${pins.id} and (${pinFigures.state} = 'gone' or ${isFresh(ctx)})))`;

/**
 * Accounts, in a query that has them, whose figures nobody fetches although they are wanted: the last run could not go
 * on before all were here, or there are none at all.
 */
export const isStuck = (ctx: Ctx): SQL =>
  sql`(not ${isWorking} and ${isLacking(ctx)} and (${isHeld} or not ${isCounted(ctx)}))`;

/** Those of them whom asking again may help: what Pinterest refused waits for people. */
export const isAskable = (ctx: Ctx): SQL =>
  sql`(${isStuck(ctx)} and not ${ofAccount(sql`${resultGathers.heldBy} = 'refused'`)})`;

/** The zone in which a user sees times. */
export const zoneOf = sql<string>`coalesce(${users.chosenTimeZone}, ${users.timeZone})`;

/** The actor's. */
export const findTimeZone = async (ctx: Ctx): Promise<string> => {
  const [row] = await ctx.db
    .select({ timeZone: zoneOf })
    .from(users)
    .where(eq(users.id, requireUserId(ctx)));
  return row?.timeZone ?? "UTC";
};

/** A published pin of ours, as far as lists of the best show it. */
export interface PublishedPin {
  id: string;
  pinterestPinId: string | null;
  title: string;
  keyword: string | null;
  imageKey: string;
}

/** Those of an account's published pins that Pinterest knows under these ids. */
export const findPublished = async (
  ctx: Ctx,
  accountId: OwnedAccountId,
  pinterestPinIds: readonly string[],
): Promise<PublishedPin[]> => {
  const { id, pinterestPinId, title, keyword, imageKey } = pins;
  return ctx.db
    .select({ id, pinterestPinId, title, keyword, imageKey })
    .from(pins)
    .where(
      and(inArray(pinterestPinId, [...pinterestPinIds]), eq(pins.accountId, accountId), eq(pins.status, "published")),
    );
};

/**
 * One of the actor's accounts that Pinterest can be asked about.
 * @throws AppError `not_found` for one that is not theirs, `reconnect_needed`.
 */
export const requireConnected = async (ctx: Ctx, accountId: string): Promise<OwnedAccount> => {
  const account = await requireOwnedAccount(ctx, accountId);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return account;
};
