import "server-only";
import { and, asc, eq, isNull } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { callUpTasks } from "./call-up-tasks.ts";
import { failTask } from "./fail-task.ts";

/**
 * Gives up every open task of a user who is leaving; what is held for them returns. A run that works on one finds it
 * finished, and makes no pin of it. @returns how many were given up now.
 */
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
  // Their seats are free.
  if (open.length > 0) await callUpTasks(ctx);
  return open.length;
};
