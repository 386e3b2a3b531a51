import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { SILENT_AFTER_MS } from "./constants.ts";
import { wakeBy } from "./queries.ts";

/** A task's run sleeps for so long: until then, and some time beyond, it does not count as silent. */
export const noteWait = async (ctx: Ctx, { taskId, seconds }: { taskId: string; seconds: number }): Promise<void> => {
  await ctx.db
    .update(generationTasks)
    .set({ wakeAt: wakeBy(addMs(await databaseTime(ctx), seconds * SECOND_MS + SILENT_AFTER_MS)) })
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)));
};
