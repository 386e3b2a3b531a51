import "server-only";
import { and, asc, eq, gt, inArray, isNull, notExists, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { weeklyMails } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import type { AccountId, UserId } from "#lib/core/ids.ts";
import { WEEKLY_BATCH } from "./constants.ts";
import type { DueZones } from "./find-due-zones.ts";
import { zoneOf } from "./queries.ts";

/** A user who is told of their week, with the accounts whose pins are out. */
export interface WeeklyReader {
  userId: UserId;
  accountIds: AccountId[];
}

/** `done`: which of the marks they lack for this week. `only`: which of their accounts, as a condition on these. */
interface Wanted {
  done: typeof weeklyMails.askedWeek | typeof weeklyMails.toldWeek;
  only?: SQL | undefined;
}

/** Some of them, by their ids from `after` on. */
const findPage = async (
  ctx: Ctx,
  { week, zones }: DueZones,
  { done, after, only }: Wanted & { after: string },
): Promise<WeeklyReader[]> => {
  const isDone: SQL = sql`${done} >= ${week}::date`;
  const handled = ctx.db
    .select({ one: sql`1` })
    .from(weeklyMails)
    .where(and(eq(weeklyMails.userId, users.id), isDone));
  const isOut = sql`exists (select 1 from ${pins} where ${pins.accountId} = ${pinterestAccounts.id}
    and ${pins.status} = 'published')`;
  const rows = await ctx.db
    .select({ userId: users.id, accountIds: sql<string[]>`json_agg(${pinterestAccounts.id})` })
    .from(users)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.userId, users.id))
    .where(
      and(
        gt(users.id, after),
        isNull(users.closedAt),
        inArray(zoneOf, zones),
        sql`not 'weekly_results' = any(${users.mutedMails})`,
        eq(pinterestAccounts.status, "connected"),
        isOut,
        only,
        notExists(handled),
      ),
    )
    .groupBy(users.id)
    .orderBy(asc(users.id))
    .limit(WEEKLY_BATCH);
  // Rows of these tables hold ids that `createId` made.
  return rows.map(({ userId, accountIds }) => ({ userId: userId as UserId, accountIds: accountIds as AccountId[] }));
};

/**
 * Readers of the weekly mail who were not asked for, or told, this week yet, one after the other until this process is
 * told to end. Those who switched it off are none.
 */
export async function* findReaders(ctx: Ctx, due: DueZones, wanted: Wanted): AsyncGenerator<WeeklyReader> {
  let after = "";
  for (;;) {
    const readers = await findPage(ctx, due, { ...wanted, after });
    for (const reader of readers) {
      if (ctx.stopping.aborted) return;
      yield reader;
    }
    after = readers.at(-1)?.userId ?? "";
    if (readers.length < WEEKLY_BATCH) return;
  }
}
