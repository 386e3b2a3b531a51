import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { settleReservation } from "#lib/features/credits/settle-reservation.ts";
import { createDraft } from "#lib/features/pins/create-draft.ts";
import { closeGroup } from "./close-group.ts";
import { findTask, type Task } from "./queries.ts";

export type FinishResult = { kind: "finished"; pinId: PinId } | { kind: "already_finished" };

const toDraft = (task: Task): Parameters<typeof createDraft>[1] => {
  const { userId, accountId, boardId, keyword, url, title, description, altText, imageKey } = task;
  if (title === null || description === null || altText === null || imageKey === null) {
    throw new AppError("internal", { cause: new Error(`Task ${task.id} is to be finished before it is complete.`) });
  }
  return { userId, accountId, boardId, source: "ai", title, description, altText, link: url, keyword, imageKey };
};

/** Locks a task that is still open; null when it has finished, or is gone. */
const lockOpenTask = async (tx: Ctx, taskId: string): Promise<Task | null> => {
  const [open] = await tx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(and(eq(generationTasks.id, taskId), isNull(generationTasks.finishedAt)))
    .for("no key update");
  return open ? findTask(tx, taskId) : null;
};

/**
 * Makes a complete task a draft and spends its credits, both or neither and once (R-TRK-15, R-SRV-01).
 * @throws AppError `internal` when words or picture are missing, or its credits were given back before.
 */
export const finishTask = (ctx: Ctx, { taskId }: { taskId: string }): Promise<FinishResult> =>
  inTransaction(ctx, async (tx) => {
    const task = await lockOpenTask(tx, taskId);
    if (!task) return { kind: "already_finished" };
    const pinId = await createDraft(tx, toDraft(task));
    await tx.db
      .update(generationTasks)
      .set({ status: "SUCCESS", reason: null, pinId, finishedAt: tx.now() })
      .where(eq(generationTasks.id, task.id));
    const settled = await settleReservation(tx, { reference: task.id, outcome: "spend" });
    if (settled.kind === "already_settled") {
      throw new AppError("internal", { cause: new Error(`The credits of open task ${task.id} are settled already.`) });
    }
    await closeGroup(tx, task.groupId);
    tx.log.count("tasks_finished");
    tx.log.set({ making_ms: tx.now().getTime() - task.createdAt.getTime() });
    return { kind: "finished", pinId };
  });
