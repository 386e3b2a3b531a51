import "server-only";
import { and, asc, eq, inArray, isNull } from "drizzle-orm";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { isId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { settleReservations } from "#lib/features/credits/settle-reservations.ts";
import { callUpTasks } from "./call-up-tasks.ts";
import { closeGroup } from "./close-group.ts";
import type { CancelGenerationInput } from "./schema.ts";

/** What cancelling took back, and what goes on because it had been started. */
export interface Cancelled {
  revokedTasks: number;
  returnedCredits: number;
  goingOnTasks: number;
}

const requireOwnGroup = async (tx: Ctx, groupId: string): Promise<void> => {
  const userId = requireUserId(tx);
  const isOwn = and(eq(generationGroups.id, groupId), eq(generationGroups.userId, userId));
  if (!isId("group", groupId) || (await tx.db.$count(generationGroups, isOwn)) === 0) throw new AppError("not_found");
};

/** Revokes what nobody has begun. Whoever begins a task at this moment has it, or finds it revoked: never both. */
const revokeTasks = async (tx: Ctx, groupId: string): Promise<string[]> => {
  const isWaiting = and(
    eq(generationTasks.groupId, groupId),
    eq(generationTasks.status, "PENDING"),
    isNull(generationTasks.startedAt),
    isNull(generationTasks.finishedAt),
  );
  // Locked in the order of their ids, as everybody does who takes several tasks at once.
  const waiting = tx.db
    .select({ id: generationTasks.id })
    .from(generationTasks)
    .where(isWaiting)
    .orderBy(asc(generationTasks.id))
    .for("no key update");
  const revoked = await tx.db
    .update(generationTasks)
    .set({ status: "REVOKED", finishedAt: tx.now() })
    .where(and(inArray(generationTasks.id, waiting), isWaiting))
    .returning({ id: generationTasks.id });
  return revoked.map(({ id }) => id);
};

/**
 * Cancels a running generation (DESIGN §5.2): tasks that nobody has begun are revoked and their credits return, all or
 * none and once (R-SRV-01); begun ones end as they would. Cancelling again takes back what is left, which is nothing.
 * @throws AppError `not_found` for a group that is not the actor's.
 */
export const cancelGeneration = async (ctx: Ctx<"jobs">, { groupId }: CancelGenerationInput): Promise<Cancelled> => {
  const cancelled = await inTransaction(ctx, async (tx) => {
    await requireOwnGroup(tx, groupId);
    const references = await revokeTasks(tx, groupId);
    const settled = await settleReservations(tx, { userId: requireUserId(tx), references, outcome: "release" });
    if (settled.references.length < references.length) {
      throw new AppError("internal", {
        cause: new Error(`Credits of waiting tasks of ${groupId} are settled already.`),
      });
    }
    await closeGroup(tx, groupId);
    const isOpen = and(eq(generationTasks.groupId, groupId), isNull(generationTasks.finishedAt));
    const goingOnTasks = await tx.db.$count(generationTasks, isOpen);
    return { revokedTasks: references.length, returnedCredits: settled.credits, goingOnTasks };
  });
  ctx.log.set({ group_id: groupId, tasks_revoked: cancelled.revokedTasks });
  // Some of them may have been called up already: their seats are free.
  await callUpTasks(ctx);
  return cancelled;
};
