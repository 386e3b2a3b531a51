import "server-only";
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { creditBalances } from "#db/schema/credits.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import { liveEvents, liveHorizon } from "#db/schema/realtime.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { availableOf } from "#lib/features/credits/policy.ts";
import { toCreditsWire } from "#lib/features/credits/statement.ts";
import { toTaskWire } from "#lib/features/generation/serializers.ts";
import { checkOfPin } from "#lib/features/links/queries.ts";
import { isShownPin, toPin } from "#lib/features/pins/queries.ts";
import { toPost } from "#lib/features/pins/serializers.ts";
import { NEWS_MAX } from "./constants.ts";
import type { LiveData, LiveNews } from "./schema.ts";

/** Where streams may begin. */
interface Horizon {
  /** Events up to this id are deleted: who saw less cannot resume. */
  retiredThrough: number;
  /** The newest id anybody can have seen; a greater one is not of this database. */
  newest: number;
  /** The user's present: nothing of theirs up to here is still to come. */
  present: number;
}

/** Where streams of a user may begin. One query. */
const findHorizon = async (ctx: Ctx, userId: UserId): Promise<Horizon> => {
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
const findChanges = (ctx: Ctx, userId: UserId, after: number, limit: number) => {
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

type Change = Awaited<ReturnType<typeof findChanges>>[number];

/** Where a stream goes on; with `hasMissed` something before that can no longer be told. */
export interface Start {
  position: number;
  hasMissed: boolean;
}

/**
 * Where a user's stream begins: after the event that was seen last, or at the present when none was. A position that
 * is too old, or that this database never gave, begins at the present too, and counts as having missed something.
 */
export const findStart = async (
  ctx: Ctx,
  { userId, after }: { userId: UserId; after: number | null },
): Promise<Start> => {
  const { retiredThrough, newest, present } = await findHorizon(ctx, userId);
  if (after === null) return { position: present, hasMissed: false };
  if (after < retiredThrough || after > newest) return { position: present, hasMissed: true };
  return { position: after, hasMissed: false };
};

/**
 * What is new for a user: each thing once, in order; or that it is too much to tell one by one. `through` is the last
 * event that was read, whether or not there is something to tell of it.
 */
type News = { kind: "news"; news: LiveNews[]; through: number } | { kind: "too_much" };

/**
 * What changed for a user after an event, each thing as it is now. Things that are gone are left out; their end has an
 * event of its own. One query.
 */
export const readNews = async (
  ctx: Ctx<"pinterest">,
  { userId, after }: { userId: UserId; after: number },
): Promise<News> => {
  const changes = await findChanges(ctx, userId, after, NEWS_MAX + 1);
  if (changes.length > NEWS_MAX || changes.some(({ kind }) => kind === "reset")) return { kind: "too_much" };
  const news = changes.flatMap((change) => {
    const data = toLiveData(ctx, change);
    // `data` was presented for this very kind; the union forgets that.
    return data === null ? [] : [{ id: change.id, kind: change.kind, data } as LiveNews];
  });
  return { kind: "news", news, through: changes.at(-1)?.id ?? after };
};

/** What an event of a kind carries; null when there is nothing left to tell. */
type Presented = { [K in Change["kind"]]: (ctx: Ctx<"pinterest">, change: Change) => LiveData[K] | null };

const PRESENT: Presented = {
  task: (_, { task, group }) => task && group && { group_id: group.id, ...toTaskWire(task) },
  group: (_, { group }) =>
    group && {
      group_id: group.id,
      total_tasks: group.totalTasks,
      quality: group.quality,
      finished: group.finishedAt !== null,
    },
  // What hung at a removed account is shown nowhere.
  post: (ctx, { pin: row, linkCheck, username, accountStatus }) => {
    const pin = row && toPin(row);
    const isKept = username !== null && accountStatus !== null && accountStatus !== "removed";
    if (!pin || !isShownPin(pin) || !isKept) return null;
    return toPost(ctx, { ...pin, linkCheck }, { username, status: accountStatus });
  },
  // Told as `reset`, before anything is presented.
  reset: () => null,
  post_removed: (_, { subject }) => ({ id: subject }),
  account: (_, { subject, accountStatus }) => accountStatus && { id: subject, status: accountStatus },
  credits: (_, { balance }) =>
    balance &&
    toCreditsWire({
      availableCredits: availableOf(balance),
      allowance: balance.allowance,
      purchased: balance.purchased,
      held: balance.held,
    }),
};

/** The data of an event as it goes out; null when what it tells of is gone. */
const toLiveData = (ctx: Ctx<"pinterest">, change: Change): LiveData[Change["kind"]] | null =>
  PRESENT[change.kind](ctx, change);

/** Rows that one statement deletes, so that none takes long. */
const BATCH = 10_000;

/**
 * Deletes live events that are a day old, and remembers up to where, so that a stream that would have to go on before
 * that is told so: both in one statement, or neither. @returns how many.
 */
export const retireEvents = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.liveEvent).toISOString();
  let retired = 0;
  for (;;) {
    const [row] = await ctx.db.execute<{ count: number }>(sql`
      with old as (
        select id from ${liveEvents}
        where id <= (select max(id) from ${liveEvents} where created_at < ${before}::timestamptz)
        order by id limit ${BATCH}
      ), gone as (
        delete from ${liveEvents} where id in (select id from old) returning id
      ), moved as (
        update ${liveHorizon} set retired_through = greatest(retired_through, (select max(id) from gone))
      )
      select count(*)::int as count from gone`);
    const count = row?.count ?? 0;
    retired += count;
    if (count < BATCH) return retired;
  }
};
