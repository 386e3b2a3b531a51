import "server-only";
import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { addMs, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { findStorageOutage } from "#lib/features/pins/storage-outages.ts";
import {
  MAX_EXTRA_TASKS,
  MIN_TASKS_PER_USER,
  SILENT_AFTER_MS,
  SWEEPS_PER_RESTORE,
  TASKS_PER_SLOT,
  UNSENT_AFTER_MS,
} from "./constants.ts";
import { silenceAfterSending } from "./policy.ts";
import { wakeBy } from "./queries.ts";

const eventId = (taskId: string, sweep: number): string =>
  sweep === 0 ? `generate:${taskId}` : `generate:${taskId}:${sweep}`;

/** All code that locks several tasks does so in id order, to avoid deadlocks. */
const lockedInOrder = (ctx: Ctx, taskIds: readonly string[]) =>
  ctx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(isAnyOf(generationTasks.id, taskIds))
    .orderBy(asc(generationTasks.id))
    .for("no key update");

/** `sweep` is part of the event id. Never throws: unsent tasks are sent by the next sweep. @returns whether accepted */
export const sendTaskEvents = async (
  ctx: Ctx<"jobs">,
  input: { taskIds: readonly string[]; sweep: number },
): Promise<boolean> => {
  const { taskIds, sweep } = input;
  if (taskIds.length === 0) return true;
  try {
    await ctx.jobs.send(
      taskIds.map((taskId) => ({ name: "pins/generate.requested", id: eventId(taskId, sweep), data: { taskId } })),
    );
    const sentAt = await databaseTime(ctx);
    await ctx.db
      .update(generationTasks)
      .set({
        sentAt,
        sweeps: sql`greatest(${generationTasks.sweeps}, ${sweep}::int)`,
        wakeAt: wakeBy(addMs(sentAt, silenceAfterSending(sweep))),
      })
      .where(inArray(generationTasks.id, lockedInOrder(ctx, taskIds)));
    return true;
  } catch (error) {
    ctx.log.set({ unsent_tasks: taskIds.length, engine_problem: messageOf(error) });
    return false;
  }
};

type DispatchedTask = Pick<typeof generationTasks.$inferSelect, "id" | "sweeps">;

/**
 * Fewest active tasks per user first. Active: from dispatch until the image is stored, except while it waits. Chosen
 * without locks: of each user one task, then more only of the users whose first task ranks high enough to start. A
 * chosen task that another transaction holds is skipped; whoever ends or cancels tasks dispatches afterward.
 */
const claimNextTasks = async (tx: Ctx): Promise<DispatchedTask[]> => {
  const limit = TASKS_PER_SLOT * tx.settings.imageConcurrency;
  // Serialized, so that two processes do not fill the same capacity.
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended('generation_seats', 0))`);
  const called = await tx.db.execute<{ id: string; sweeps: number }>(sql`
    with active as (
      select user_id, count(*)::int as tasks from ${generationTasks}
      where called_at is not null and finished_at is null and image_key is null and status <> 'RETRY'
      group by user_id
    ), capacity as (
      select coalesce(sum(tasks), 0)::int as used,
        greatest(0, ${limit + MAX_EXTRA_TASKS}::int - coalesce(sum(tasks), 0))::int as free
      from active
    ), ready as (
      select working.user_id, coalesce(active.tasks, 0) as tasks
      from (select distinct user_id from ${generationGroups} where finished_at is null) as working
      cross join lateral (
        select id, created_at, position from ${generationTasks}
        where user_id = working.user_id and called_at is null and finished_at is null
        order by created_at, position limit 1
      ) as first
      left join active using (user_id)
      where (select free from capacity) > 0
      order by coalesce(active.tasks, 0), first.created_at, first.position, first.id
      limit (select free from capacity)
    ), next as (
      select task.*, ready.tasks + row_number() over (partition by user_id order by created_at, position, id) as turn
      from ready cross join lateral (
        select id, created_at, position from ${generationTasks}
        where user_id = ready.user_id and called_at is null and finished_at is null
        order by created_at, position limit (select free from capacity)
      ) as task
    ), numbered as (
      select id, turn, (select used from capacity) + row_number() over (order by turn, created_at, position, id) as place
      from next
    ), locked as (
      select id from ${generationTasks}
      where called_at is null and finished_at is null and id = any (array(
        select id from numbered
        where place <= ${limit} or (turn <= ${MIN_TASKS_PER_USER} and place <= ${limit + MAX_EXTRA_TASKS})
      ))
      order by id for no key update skip locked
    ), called as (
      update ${generationTasks}
      set called_at = ${tx.now().toISOString()}, wake_at = ${addMs(tx.now(), UNSENT_AFTER_MS).toISOString()}
      where id = any (array(select id from locked))
      returning id, sweeps
    )
    select id, sweeps from called join numbered using (id) order by place`);
  return [...called];
};

const claimTasks = async (ctx: Ctx): Promise<DispatchedTask[]> =>
  (await findStorageOutage(ctx)) ? [] : inTransaction(ctx, claimNextTasks);

/** Called whenever a task ends, and by the sweep. Never throws, because the caller's work is already committed. */
export const dispatchTasks = async (ctx: Ctx<"jobs">): Promise<string[]> => {
  const dispatched = await claimTasks(ctx).catch((error: unknown) => {
    ctx.log.set({ engine_problem: messageOf(error) });
    return [];
  });
  if (dispatched.length > 0) ctx.log.set({ tasks_dispatched: dispatched.length });
  for (const [sweep, tasks] of Map.groupBy(dispatched, ({ sweeps }) => sweeps)) {
    await sendTaskEvents(ctx, { taskIds: tasks.map(({ id }) => id), sweep });
  }
  return dispatched.map(({ id }) => id);
};

/** After a restore. Event ids start at its minute, which no earlier database used. */
export const requeueTasks = async (ctx: Ctx): Promise<number> => {
  const now = ctx.now();
  const requeued = await ctx.db
    .update(generationTasks)
    .set({ sentAt: null, wakeAt: now, sweeps: SWEEPS_PER_RESTORE * Math.floor(now.getTime() / MINUTE_MS) })
    .where(isNull(generationTasks.finishedAt));
  return requeued.count;
};

/** While its run sleeps, so that the sweep does not consider the task silent. */
export const extendWait = async (ctx: Ctx, { taskId, seconds }: { taskId: string; seconds: number }): Promise<void> => {
  await ctx.db
    .update(generationTasks)
    .set({ wakeAt: wakeBy(addMs(await databaseTime(ctx), seconds * SECOND_MS + SILENT_AFTER_MS)) })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
};
