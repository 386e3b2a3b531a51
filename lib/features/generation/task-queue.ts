import "server-only";
import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { addMs, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import {
  SEATS_EXTRA,
  SEATS_OF_RIGHT,
  SEATS_PER_PLACE,
  SILENT_AFTER_MS,
  SWEEPS_PER_LIFE,
  UNSENT_AFTER_MS,
} from "./constants.ts";
import { wakeBy } from "./queries.ts";

const eventId = (taskId: string, sweep: number): string =>
  sweep === 0 ? `generate:${taskId}` : `generate:${taskId}:${sweep}`;

/** Locked in the order of their ids, as everybody does who takes several tasks at once. */
const inOrder = (ctx: Ctx, taskIds: readonly string[]) =>
  ctx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(inArray(generationTasks.id, [...taskIds]))
    .orderBy(asc(generationTasks.id))
    .for("no key update");

/**
 * Asks the durable engine to make these pins. `sweep` numbers the askings for a task (its `sweeps`) and
 * is part of the events' ids. What goes wrong here is no error to the caller, whose tasks are written already: they stay unsent,
 * and the sweep asks again (DESIGN §5.6).
 * @returns whether the engine took the events.
 */
export const requestTasks = async (
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
        wakeAt: wakeBy(addMs(sentAt, SILENT_AFTER_MS)),
      })
      .where(inArray(generationTasks.id, inOrder(ctx, taskIds)));
    return true;
  } catch (error) {
    ctx.log.set({ unsent_tasks: taskIds.length, engine_problem: messageOf(error) });
    return false;
  }
};

/** A task that was called up, and what its event's id begins from. */
type CalledTask = Pick<typeof generationTasks.$inferSelect, "id" | "sweeps">;

/**
 * Takes the next waiting tasks, as many as there are seats: of the user with the fewest seated first, then in the order
 * of their start. A task is seated from its call until its picture is there; one that waits for another try is not.
 */
const seatTasks = async (tx: Ctx): Promise<CalledTask[]> => {
  const seats = SEATS_PER_PLACE * tx.settings.imageConcurrency;
  // One at a time: two that count the same seats would both fill them.
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended('generation_seats', 0))`);
  const called = await tx.db.execute<{ id: string; sweeps: number }>(sql`
    with seated as (
      select user_id, count(*)::int as seats from ${generationTasks}
      where called_at is not null and finished_at is null and image_key is null and status <> 'RETRY'
      group by user_id
    ), next as (
      select task.*, coalesce(seated.seats, 0)
        + row_number() over (partition by user_id order by created_at, position, id) as turn
      from (select distinct user_id from ${generationGroups} where finished_at is null) as working
      cross join lateral (
        select id, created_at, position from ${generationTasks}
        where user_id = working.user_id and called_at is null and finished_at is null
        order by created_at, position limit ${seats}
        for no key update skip locked
      ) as task
      left join seated using (user_id)
    ), numbered as (
      select id, turn, (select coalesce(sum(seats), 0) from seated)
        + row_number() over (order by turn, created_at, position, id) as seat
      from next
    ), called as (
      update ${generationTasks}
      set called_at = ${tx.now().toISOString()}, wake_at = ${addMs(tx.now(), UNSENT_AFTER_MS).toISOString()}
      where id in (
        select id from numbered
        where seat <= ${seats} or (turn <= ${SEATS_OF_RIGHT} and seat <= ${seats + SEATS_EXTRA})
      )
      returning id, sweeps
    )
    select id, sweeps from called join numbered using (id) order by seat`);
  return [...called];
};

/**
 * Calls up as many waiting tasks as can be worked on soon, and sends their events (DESIGN §5.2). Whoever ends work on a
 * task calls it; the sweep does too, for whoever died before. What goes wrong here is no error to the caller, whose own
 * work is committed: the sweep calls up then. @returns the tasks called up now.
 */
export const callUpTasks = async (ctx: Ctx<"jobs">): Promise<string[]> => {
  const called = await inTransaction(ctx, seatTasks).catch((error: unknown) => {
    ctx.log.set({ engine_problem: messageOf(error) });
    return [];
  });
  if (called.length > 0) ctx.log.set({ tasks_called: called.length });
  for (const [sweep, tasks] of Map.groupBy(called, ({ sweeps }) => sweeps)) {
    await requestTasks(ctx, { taskIds: tasks.map(({ id }) => id), sweep });
  }
  return called.map(({ id }) => id);
};

/**
 * Hands every unfinished task to the next sweep: in a restored copy no run works on them. Their events get numbers of
 * the minute of this restore, which neither the lost database nor an earlier restore used. @returns how many.
 */
export const wakeTasks = async (ctx: Ctx): Promise<number> => {
  const now = ctx.now();
  const woken = await ctx.db
    .update(generationTasks)
    .set({ sentAt: null, wakeAt: now, sweeps: SWEEPS_PER_LIFE * Math.floor(now.getTime() / MINUTE_MS) })
    .where(isNull(generationTasks.finishedAt));
  return woken.count;
};

/** A task's run sleeps for so long: until then, and some time beyond, it does not count as silent. */
export const noteWait = async (ctx: Ctx, { taskId, seconds }: { taskId: string; seconds: number }): Promise<void> => {
  await ctx.db
    .update(generationTasks)
    .set({ wakeAt: wakeBy(addMs(await databaseTime(ctx), seconds * SECOND_MS + SILENT_AFTER_MS)) })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
};
