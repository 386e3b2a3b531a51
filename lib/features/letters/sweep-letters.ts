import "server-only";
import { asc, inArray, lte, sql } from "drizzle-orm";
import { letters } from "#db/schema/letters.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS, FORGOTTEN_LONGEST_MS, SWEEP_BATCH } from "./constants.ts";

const takeForgotten = async (tx: Ctx): Promise<{ id: string; sweeps: number }[]> => {
  const forgotten = tx.db
    .select({ id: letters.id })
    .from(letters)
    .where(lte(letters.wakeAt, tx.now()))
    .orderBy(asc(letters.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${FORGOTTEN_LONGEST_MS / SECOND_MS},
    ${FORGOTTEN_FIRST_MS / SECOND_MS} * power(2, least(${letters.sweeps}, 20) + 1))`;
  return tx.db
    .update(letters)
    .set({ sweeps: sql`${letters.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(letters.id, forgotten))
    .returning({ id: letters.id, sweeps: letters.sweeps });
};

/**
 * Sends a new event for each mail that nobody has sent after a while (DESIGN §5.6). Whoever is sending it after all
 * keeps it: only one can have it in hand. @returns how many.
 * @throws when the engine does not take the events; they are due again after their pause.
 */
export const sweepLetters = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(
    swept.map(({ id, sweeps }) => ({
      name: "letters/letter.posted" as const,
      id: `letter:${id}:${sweeps}`,
      data: { letterId: id },
    })),
  );
  ctx.log.set({ letters_swept: swept.length });
  return { sent: swept.length };
};
