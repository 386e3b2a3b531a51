import "server-only";
import { isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { SWEEPS_PER_LIFE } from "./constants.ts";

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
