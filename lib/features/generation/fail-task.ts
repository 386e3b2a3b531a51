import "server-only";
import { and, eq, isNull, sql } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { settleReservation } from "#lib/features/credits/settle-reservation.ts";
import { orphanImage } from "#lib/features/pins/orphan-image.ts";
import { closeGroup } from "./close-group.ts";
import { TEXTS } from "./constants.ts";
import { nameImage } from "./name-image.ts";

/**
 * Gives a task up and its credits back, both or neither and once (R-SRV-01). Without a `reason` the last known
 * problem is shown, else a general sentence; a reason must be safe to show.
 */
export const failTask = (
  ctx: Ctx,
  { taskId, reason }: { taskId: string; reason?: string },
): Promise<{ kind: "failed" | "already_finished" }> =>
  inTransaction(ctx, async (tx) => {
    const known = sql<string>`coalesce(${generationTasks.reason}, ${TEXTS.taskFailed})`;
    const [failed] = await tx.db
      .update(generationTasks)
      .set({ status: "FAILURE", reason: reason ?? known, finishedAt: tx.now() })
      .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
      .returning({ groupId: generationTasks.groupId });
    if (!failed) return { kind: "already_finished" };
    await settleReservation(tx, { reference: taskId, outcome: "release" });
    // Known to the task or not, the picture may be in the storage, or on its way there.
    await orphanImage(tx, { imageKey: nameImage(tx, taskId) });
    await closeGroup(tx, failed.groupId);
    tx.log.count("tasks_failed");
    return { kind: "failed" };
  });
