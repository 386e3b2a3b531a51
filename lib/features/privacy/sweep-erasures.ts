import "server-only";
import { and, asc, inArray, isNull, lte, sql } from "drizzle-orm";
import { erasures } from "#db/schema/privacy.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { PATIENCE_MS, SWEEP_BATCH } from "./constants.ts";

const takeForgotten = (tx: Ctx): Promise<{ userId: string; sweeps: number }[]> => {
  const forgotten = tx.db
    .select({ userId: erasures.userId })
    .from(erasures)
    .where(and(isNull(erasures.finishedAt), lte(erasures.wakeAt, tx.now())))
    .orderBy(asc(erasures.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  return tx.db
    .update(erasures)
    .set({ sweeps: sql`${erasures.sweeps} + 1`, wakeAt: addMs(tx.now(), PATIENCE_MS) })
    .where(inArray(erasures.userId, forgotten))
    .returning({ userId: erasures.userId, sweeps: erasures.sweeps });
};

/**
 * Sends a new event for each erasure that nobody seems to work on (DESIGN §5.6). @returns how many.
 * @throws when the engine does not take the events; they are due again after a while.
 */
export const sweepErasures = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(
    swept.map(({ userId, sweeps }) => ({
      name: "privacy/erasure.requested" as const,
      id: `erase:${userId}:${sweeps}`,
      data: { userId },
    })),
  );
  return { sent: swept.length };
};
