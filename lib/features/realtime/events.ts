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
import { availableOf, isAllowanceTaken } from "#lib/features/credits/policy.ts";
import { toCreditsWire } from "#lib/features/credits/statement.ts";
import { toTaskWire } from "#lib/features/generation/serializers.ts";
import { isVisiblePin, READ_WITH_PIN, toPin } from "#lib/features/pins/queries.ts";
import { toPinWire } from "#lib/features/pins/serializers.ts";
import { LIVE_EVENTS_MAX } from "./constants.ts";
import type { LiveData, LiveEvent } from "./schema.ts";

interface Horizon {
  /** Deleted up to this id, so older positions cannot resume. */
  purgedThrough: number;
  /** Newest event of all users; a greater id is not from this database. */
  newest: number;
  /** Newest event of this user. */
  present: number;
}

const findHorizon = async (ctx: Ctx, userId: UserId): Promise<Horizon> => {
  const [row] = await ctx.db
    .select({
      purgedThrough: liveHorizon.purgedThrough,
      newest: sql<number>`greatest(${liveHorizon.purgedThrough}, (select max(id) from ${liveEvents}))`.mapWith(Number),
      present: sql<number>`greatest(${liveHorizon.purgedThrough},
        (select max(id) from ${liveEvents} where user_id = ${userId}))`.mapWith(Number),
    })
    .from(liveHorizon);
  return row ?? { purgedThrough: 0, newest: 0, present: 0 };
};

/** The latest change of each subject, with its current state (null when deleted). */
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
      // Deleted pins that can still be restored count as removed.
      kind: sql<
        (typeof liveEvents.$inferSelect)["kind"]
      >`case when ${pins.status} = 'deleted' then 'post_removed' else ${latest.kind} end`,
      subject: latest.subject,
      task: generationTasks,
      group: generationGroups,
      pin: pins,
      ...READ_WITH_PIN,
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

/** `hasMissed`: earlier events can no longer be sent. */
export interface Start {
  position: number;
  hasMissed: boolean;
}

/** Unknown or expired positions also count as missed events. */
export const findStart = async (
  ctx: Ctx,
  { userId, after }: { userId: UserId; after: number | null },
): Promise<Start> => {
  const { purgedThrough, newest, present } = await findHorizon(ctx, userId);
  if (after === null) return { position: present, hasMissed: false };
  if (after < purgedThrough || after > newest) return { position: present, hasMissed: true };
  return { position: after, hasMissed: false };
};

/** `through`: the last event read, even without output. `too_much`: the client has to reload. */
type ReadResult = { kind: "events"; events: LiveEvent[]; through: number } | { kind: "too_much" };

/** Each subject once and with its current state, without deleted ones. */
export const readEvents = async (
  ctx: Ctx<"pinterest">,
  { userId, after }: { userId: UserId; after: number },
): Promise<ReadResult> => {
  const changes = await findChanges(ctx, userId, after, LIVE_EVENTS_MAX + 1);
  if (changes.length > LIVE_EVENTS_MAX || changes.some(({ kind }) => kind === "reset")) return { kind: "too_much" };
  const events = changes.flatMap((change) => {
    const data = toLiveData(ctx, change);
    return data === null ? [] : [{ id: change.id, kind: change.kind, data } as LiveEvent];
  });
  return { kind: "events", events, through: changes.at(-1)?.id ?? after };
};

/** Null when its subject no longer exists. */
type Presenters = { [K in Change["kind"]]: (ctx: Ctx<"pinterest">, change: Change) => LiveData[K] | null };

const PRESENTERS: Presenters = {
  task: (ctx, { task, group }) => task && group && { group_id: group.id, ...toTaskWire(ctx, task) },
  group: (_, { group }) =>
    group && {
      group_id: group.id,
      total_tasks: group.totalTasks,
      quality: group.quality,
      finished: group.finishedAt !== null,
    },
  post: (ctx, { pin: row, linkCheck, isFromPage, username, accountStatus }) => {
    const pin = row && toPin(row);
    const isVisible = username !== null && accountStatus !== null && accountStatus !== "removed";
    if (!pin || !isVisiblePin(pin) || !isVisible) return null;
    return toPinWire(ctx, { ...pin, linkCheck, isFromPage }, { username, status: accountStatus });
  },
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
      isAllowanceTaken: isAllowanceTaken(balance),
    }),
};

const toLiveData = (ctx: Ctx<"pinterest">, change: Change): LiveData[Change["kind"]] | null =>
  PRESENTERS[change.kind](ctx, change);

const BATCH = 10_000;

/** The new horizon is recorded in the same statement. */
export const purgeEvents = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.liveEvent).toISOString();
  let deleted = 0;
  for (;;) {
    const [row] = await ctx.db.execute<{ count: number }>(sql`
      with old as (
        select id from ${liveEvents}
        where id <= (select max(id) from ${liveEvents} where created_at < ${before}::timestamptz)
        order by id limit ${BATCH}
      ), gone as (
        delete from ${liveEvents} where id in (select id from old) returning id
      ), moved as (
        update ${liveHorizon} set purged_through = greatest(purged_through, (select max(id) from gone))
      )
      select count(*)::int as count from gone`);
    const count = row?.count ?? 0;
    deleted += count;
    if (count < BATCH) return deleted;
  }
};
