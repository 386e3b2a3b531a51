import "server-only";
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { creditBalances } from "#db/schema/credits.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { liveEvents, liveHorizon } from "#db/schema/live.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { checkOfPin } from "#lib/features/links/queries.ts";

/** Where streams may begin. */
export interface Horizon {
  /** Events up to this id are deleted: who saw less cannot resume. */
  retiredThrough: number;
  /** The newest id anybody can have seen; a greater one is not of this database. */
  newest: number;
  /** The user's present: nothing of theirs up to here is still to come. */
  present: number;
}

/** Where streams of a user may begin. One query. */
export const findHorizon = async (ctx: Ctx, userId: UserId): Promise<Horizon> => {
  const [row] = await ctx.db
    .select({
      retiredThrough: liveHorizon.retiredThrough,
      newest: sql<number>`greatest(${liveHorizon.retiredThrough}, (select max(id) from ${liveEvents}))`.mapWith(Number),
      present: sql<number>`greatest(${liveHorizon.retiredThrough},
        (select max(id) from ${liveEvents} where user_id = ${userId}))`.mapWith(Number),
    })
    .from(liveHorizon);
  return row ?? { retiredThrough: 0, newest: 0, present: 0 };
};

/**
 * What changed for a user after an event, each thing once, under the id of its latest change, in that order; at most
 * `limit` things. With each comes what it is now, or null when it is gone. One query.
 */
export const findChanges = (ctx: Ctx, userId: UserId, after: number, limit: number) => {
  const latest = ctx.db
    .selectDistinctOn([liveEvents.kind, liveEvents.subject])
    .from(liveEvents)
    .where(and(eq(liveEvents.userId, userId), gt(liveEvents.id, after)))
    .orderBy(liveEvents.kind, liveEvents.subject, desc(liveEvents.id))
    .as("latest");
  const subjectOf = (kind: string) => sql`case when ${latest.kind} = ${kind} then ${latest.subject} end`;
  return ctx.db
    .select({
      id: latest.id,
      // One that was deleted and can still come back is gone for everybody who looks.
      kind: sql<
        (typeof liveEvents.$inferSelect)["kind"]
      >`case when ${pins.status} = 'deleted' then 'post_removed' else ${latest.kind} end`,
      subject: latest.subject,
      task: generationTasks,
      group: generationGroups,
      pin: pins,
      linkCheck: checkOfPin,
      username: pinterestAccounts.username,
      accountStatus: pinterestAccounts.status,
      balance: creditBalances,
    })
    .from(latest)
    .leftJoin(generationTasks, eq(generationTasks.id, subjectOf("task")))
    .leftJoin(
      generationGroups,
      eq(generationGroups.id, sql`coalesce(${generationTasks.groupId}, ${subjectOf("group")})`),
    )
    .leftJoin(pins, eq(pins.id, subjectOf("post")))
    .leftJoin(pinterestAccounts, eq(pinterestAccounts.id, sql`coalesce(${pins.accountId}, ${subjectOf("account")})`))
    .leftJoin(creditBalances, eq(creditBalances.userId, subjectOf("credits")))
    .orderBy(asc(latest.id))
    .limit(limit);
};

export type Change = Awaited<ReturnType<typeof findChanges>>[number];
