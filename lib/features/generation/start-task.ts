import "server-only";
import { and, eq, isNull, sql } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { SILENT_AFTER_MS } from "./constants.ts";
import { findTask, type Task, wakeBy } from "./queries.ts";

/** Marks a task as being worked on, which is a sign of life. Null when it has finished or is gone: then there is nothing left to do. */
export const startTask = async (ctx: Ctx, taskId: string): Promise<Task | null> => {
  const [open] = await ctx.db
    .update(generationTasks)
    .set({
      status: "STARTED",
      startedAt: sql`coalesce(${generationTasks.startedAt}, now())`,
      wakeAt: wakeBy(addMs(await databaseTime(ctx), SILENT_AFTER_MS)),
    })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return open ? findTask(ctx, taskId) : null;
};
