import "server-only";
import { asc, inArray, sql } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { SILENT_AFTER_MS } from "./constants.ts";
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
