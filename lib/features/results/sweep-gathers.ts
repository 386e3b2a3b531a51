import "server-only";
import { asc, inArray, lte, sql } from "drizzle-orm";
import { resultGathers } from "#db/schema/results.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS, FORGOTTEN_LONGEST_MS, SWEEP_BATCH } from "./constants.ts";
import { makeEvent } from "./make-event.ts";

const takeForgotten = (tx: Ctx) => {
  const forgotten = tx.db
    .select({ accountId: resultGathers.accountId })
    .from(resultGathers)
    .where(lte(resultGathers.wakeAt, tx.now()))
    .orderBy(asc(resultGathers.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${FORGOTTEN_LONGEST_MS / SECOND_MS},
    ${FORGOTTEN_FIRST_MS / SECOND_MS} * power(2, least(${resultGathers.sweeps}, 20) + 1))`;
  return tx.db
    .update(resultGathers)
    .set({
      sweeps: sql`${resultGathers.sweeps} + 1`,
      wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})`,
      resumesAt: null,
    })
    .where(inArray(resultGathers.accountId, forgotten))
    .returning();
};

/**
 * Sends a new event for each fetching of figures that nobody works on any more (DESIGN §5.6). @returns how many.
 * @throws when the engine does not take the events; they are due again after their pause.
 */
export const sweepGathers = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(swept.map(makeEvent));
  ctx.log.set({ results_swept: swept.length });
  return { sent: swept.length };
};
