import "server-only";
import { and, count, eq, lt } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { mayBeRemade } from "./policy.ts";
import type { Task } from "./queries.ts";

/**
 * The how manieth picture a task draws for its pin: 1 for a new pin's, then one more for each that was asked for
 * since. Null when the pin wants none any more, which is asked before the picture is paid for.
 */
export const countTake = async (ctx: Ctx, task: Task): Promise<number | null> => {
  const { replacesPinId, userId, createdAt } = task;
  if (replacesPinId === null) return 1;
  const [pin] = await ctx.db
    .select({ status: pins.status, mayBePublished: pins.mayBePublished })
    .from(pins)
    .where(and(eq(pins.id, replacesPinId), eq(pins.userId, userId)));
  if (!pin || !mayBeRemade(pin)) return null;
  const [before] = await ctx.db
    .select({ takes: count() })
    .from(generationTasks)
    .where(and(eq(generationTasks.replacesPinId, replacesPinId), lt(generationTasks.createdAt, createdAt)));
  return 2 + (before?.takes ?? 0);
};
