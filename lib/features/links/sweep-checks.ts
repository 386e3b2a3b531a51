import "server-only";
import { asc, inArray, lte, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS, FORGOTTEN_LONGEST_MS, SWEEP_BATCH } from "./constants.ts";
import { toCheckEvent } from "./present.ts";

const takeForgotten = (tx: Ctx) => {
  const forgotten = tx.db
    .select({ urlHash: linkChecks.urlHash })
    .from(linkChecks)
    .where(lte(linkChecks.wakeAt, tx.now()))
    .orderBy(asc(linkChecks.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${FORGOTTEN_LONGEST_MS / SECOND_MS},
    ${FORGOTTEN_FIRST_MS / SECOND_MS} * power(2, least(${linkChecks.sweeps}, 20) + 1))`;
  return tx.db
    .update(linkChecks)
    .set({ sweeps: sql`${linkChecks.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(linkChecks.urlHash, forgotten))
    .returning();
};

/**
 * Sends a new event for each link that nobody has checked after a while (DESIGN §5.6). @returns how many.
 * @throws when the engine does not take the events; they are due again after their pause.
 */
export const sweepChecks = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(swept.map(toCheckEvent));
  ctx.log.set({ links_swept: swept.length });
  return { sent: swept.length };
};
