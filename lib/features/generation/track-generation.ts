import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { findTrackedGroup, type TrackedGroup } from "./queries.ts";
import type { TrackGenerationInput } from "./schema.ts";

/**
 * One of the actor's groups with its tasks in start order (R-TRK-03, R-TRK-16).
 * @throws AppError `not_found` for any other group.
 */
export const trackGeneration = async (ctx: Ctx, { groupId }: TrackGenerationInput): Promise<TrackedGroup> => {
  const tracked = await findTrackedGroup(ctx, groupId);
  if (tracked.tasks.length === 0) throw new AppError("not_found");
  return tracked;
};
