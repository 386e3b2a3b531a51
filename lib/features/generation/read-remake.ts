import "server-only";
import { and, desc, eq, getTableColumns, gt, isNull, or } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import { REMAKE_UNDO_MS } from "./constants.ts";
import { mayBeRemade } from "./policy.ts";
import { toTaskWire } from "./present.ts";
import type { RemakeInput, RemakeWire } from "./schema.ts";

/**
 * The newest picture that was asked for one of the actor's pins and is in the making, or ended within the time in which
 * it can be taken back; else null. @throws AppError `not_found`.
 */
export const readRemake = async (ctx: Ctx, { pinId }: RemakeInput): Promise<RemakeWire | null> => {
  const { pin } = await requireOwnedPin(ctx, pinId);
  const since = addMs(await databaseTime(ctx), -REMAKE_UNDO_MS);
  const [task] = await ctx.db
    .select(getTableColumns(generationTasks))
    .from(generationTasks)
    .where(
      and(
        eq(generationTasks.replacesPinId, pin.id),
        eq(generationTasks.userId, pin.userId),
        or(isNull(generationTasks.finishedAt), gt(generationTasks.finishedAt, since)),
      ),
    )
    .orderBy(desc(generationTasks.createdAt), desc(generationTasks.id))
    .limit(1);
  if (!task) return null;
  const isShown = task.status === "SUCCESS" && task.imageKey === pin.imageKey && task.replaced !== null;
  const canUndo = isShown && mayBeRemade(pin);
  return { group_id: task.groupId, task: toTaskWire(task), can_undo: canUndo };
};
