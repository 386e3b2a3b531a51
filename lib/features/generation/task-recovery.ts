import "server-only";
import { and, asc, eq, isNotNull, isNull, like, lt, lte, notExists, sql } from "drizzle-orm";
import { creditReservations } from "#db/schema/credits.ts";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { ID_PREFIX, type UserId } from "#lib/core/ids.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { settleReservation } from "#lib/features/credits/reservations.ts";
import { HEARTBEAT_MS, ORPHANED_AFTER_MS, REPEATED_WITHIN_MS, SILENT_AFTER_MS, SWEEP_MAX, TEXTS } from "./constants.ts";
import { decideSweep } from "./policy.ts";
import { dispatchTasks, sendTaskEvents } from "./task-queue.ts";
import { failTask } from "./tasks.ts";

/** For a deleted account. Credits return; running steps then find their task finished. */
export const abandonTasks = async (ctx: Ctx<"jobs">, { userId }: { userId: UserId }): Promise<number> => {
  const open = await ctx.db
    .select({ id: generationTasks.id })
    .from(generationGroups)
    .innerJoin(generationTasks, eq(generationTasks.groupId, generationGroups.id))
    .where(
      and(eq(generationGroups.userId, userId), isNull(generationGroups.finishedAt), isNull(generationTasks.finishedAt)),
    )
    .orderBy(asc(generationTasks.id));
  for (const { id: taskId } of open) await failTask(ctx, { taskId });
  if (open.length > 0) await dispatchTasks(ctx);
  return open.length;
};

interface TaskSweep {
  sent: number;
  givenUp: number;
  released: number;
}

type SilentTask = Pick<typeof generationTasks.$inferSelect, "id" | "sweeps">;

const findSilentTasks = (ctx: Ctx, now: Date): Promise<SilentTask[]> =>
  ctx.db
    .select({ id: generationTasks.id, sweeps: generationTasks.sweeps })
    .from(generationTasks)
    .where(
      and(isNotNull(generationTasks.calledAt), isNull(generationTasks.finishedAt), lte(generationTasks.wakeAt, now)),
    )
    .orderBy(generationTasks.wakeAt)
    .limit(SWEEP_MAX);

const resendEvents = async (ctx: Ctx<"jobs">, tasks: readonly SilentTask[]): Promise<number> => {
  let sent = 0;
  for (const [sweeps, group] of Map.groupBy(tasks, (task) => task.sweeps)) {
    const taskIds = group.map(({ id }) => id);
    if (await sendTaskEvents(ctx, { taskIds, sweep: sweeps + 1 })) sent += taskIds.length;
  }
  return sent;
};

/** Their tasks were deleted with their group. */
const releaseOrphans = async (ctx: Ctx, now: Date): Promise<number> => {
  const task = ctx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(eq(generationTasks.id, creditReservations.reference));
  const orphans = await ctx.db
    .select({ reference: creditReservations.reference })
    .from(creditReservations)
    .where(
      and(
        isNull(creditReservations.settledAt),
        like(creditReservations.reference, `${ID_PREFIX.task}\\_%`),
        lt(creditReservations.createdAt, addMs(now, -ORPHANED_AFTER_MS)),
        notExists(task),
      ),
    )
    .limit(SWEEP_MAX);
  for (const { reference } of orphans) await settleReservation(ctx, { reference, outcome: "release" });
  return orphans.length;
};

/** A later beat may succeed, so a failed one is only logged. */
const beat = async (ctx: Ctx, taskId: string, silentMs = SILENT_AFTER_MS): Promise<void> => {
  const wakeAt = sql`greatest(${generationTasks.wakeAt}, now() + make_interval(secs => ${silentMs / SECOND_MS}))`;
  try {
    await ctx.db
      .update(generationTasks)
      .set({ wakeAt })
      .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
  } catch (error) {
    ctx.log.set({ heartbeat_problem: messageOf(error) });
  }
};

/** Keeps the task from counting as silent while `work` runs: a model's answer may take minutes. */
export const withHeartbeat = async <R>(ctx: Ctx, taskId: string, work: () => Promise<R>): Promise<R> => {
  const timer = setInterval(() => void beat(ctx, taskId), HEARTBEAT_MS);
  try {
    return await work();
  } catch (error) {
    // The engine repeats the step after a while; a second run meanwhile would pay for another image.
    await beat(ctx, taskId, REPEATED_WITHIN_MS);
    throw error;
  } finally {
    clearInterval(timer);
  }
};

/** After crashes. Safe to run concurrently. */
export const sweepTasks = async (ctx: Ctx<"jobs">): Promise<TaskSweep> => {
  const now = await databaseTime(ctx);
  const decided = Map.groupBy(await findSilentTasks(ctx, now), decideSweep);
  const sent = await resendEvents(ctx, decided.get("send") ?? []);
  const stuckTasks = decided.get("give_up") ?? [];
  for (const { id } of stuckTasks) await failTask(ctx, { taskId: id, reason: TEXTS.taskStuck });
  await dispatchTasks(ctx);
  return { sent, givenUp: stuckTasks.length, released: await releaseOrphans(ctx, now) };
};
