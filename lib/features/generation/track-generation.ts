import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { findGroupTasks, type Task } from "./queries.ts";
import type { TrackGenerationInput } from "./schema.ts";

/**
 * The tasks of one of the actor's groups, in start order (R-TRK-03, R-TRK-16).
 * @throws AppError `not_found` for any other group.
 */
export const trackGeneration = async (ctx: Ctx, { groupId }: TrackGenerationInput): Promise<Task[]> => {
  const tasks = await findGroupTasks(ctx, groupId);
  if (tasks.length === 0) throw new AppError("not_found");
  return tasks;
};
