import "server-only";
import { isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";

/** Hands every unfinished task to the next sweep: in a restored copy no run works on them. @returns how many. */
export const wakeTasks = async (ctx: Ctx): Promise<number> => {
  const woken = await ctx.db
    .update(generationTasks)
    .set({ sentAt: null, wakeAt: ctx.now() })
    .where(isNull(generationTasks.finishedAt));
  return woken.count;
};
