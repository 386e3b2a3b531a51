import "server-only";
import { and, eq, isNull, notExists } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";

/**
 * Marks a group as finished when none of its tasks is open. The group is locked first: of two tasks that end at the
 * same moment, the second then sees the first. Belongs at the end of the transaction that finished a task.
 */
export const closeGroup = async (tx: Ctx, groupId: string): Promise<void> => {
  await tx.db
    .select({ id: generationGroups.id })
    .from(generationGroups)
    .where(eq(generationGroups.id, groupId))
    .for("no key update");
  const open = tx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(and(eq(generationTasks.groupId, groupId), isNull(generationTasks.finishedAt)));
  await tx.db
    .update(generationGroups)
    .set({ finishedAt: tx.now() })
    .where(and(eq(generationGroups.id, groupId), isNull(generationGroups.finishedAt), notExists(open)));
};
