import "server-only";
import { and, eq, isNull, sql } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { findTask, type Task } from "./queries.ts";

/** Marks a task as being worked on. Null when it has finished or is gone: then there is nothing left to do. */
export const startTask = async (ctx: Ctx, taskId: string): Promise<Task | null> => {
  const [open] = await ctx.db
    .update(generationTasks)
    .set({ status: "STARTED", startedAt: sql`coalesce(${generationTasks.startedAt}, ${ctx.now().toISOString()})` })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .returning({ id: generationTasks.id });
  return open ? findTask(ctx, taskId) : null;
};
