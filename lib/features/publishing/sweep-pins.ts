import "server-only";
import { asc, inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { type Pin, toPin } from "#lib/features/pins/queries.ts";
import { PATIENCE_MS, SWEEP_BATCH, SWEEP_LONGEST_MS, WAKE_GRACE_MS } from "./constants.ts";
import { publishEventId } from "./policy.ts";
import { isForgotten } from "./queries.ts";

/** Takes pins that nobody works on, so that no other sweep does, and counts the new event. */
const takeForgotten = async (tx: Ctx): Promise<Pin[]> => {
  const now = tx.now();
  const forgotten = tx.db
    .select({ id: pins.id })
    .from(pins)
    .where(isForgotten(now, WAKE_GRACE_MS))
    .orderBy(asc(pins.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const patience = addMs(now, PATIENCE_MS).toISOString();
  const rows = await tx.db
    .update(pins)
    .set({
      sweeps: sql`${pins.sweeps} + 1`,
      wakeAt: sql`greatest(${pins.scheduledAt}, ${patience}::timestamptz)`,
    })
    .where(inArray(pins.id, forgotten))
    .returning();
  return rows.map(toPin);
};

/** Sends the next batch of events. @returns how many; fewer than a batch: there are no more. */
const sweepBatch = async (ctx: Ctx<"jobs">): Promise<number> => {
  const swept = await inTransaction(ctx, takeForgotten);
  try {
    await ctx.jobs.send(
      swept.map(({ id, accountId, scheduleGeneration, sweeps }) => ({
        name: "pins/publish.requested" as const,
        id: publishEventId(id, scheduleGeneration, sweeps),
        data: { pinId: id, accountId, scheduleGeneration, sweeps },
      })),
    );
  } catch (error) {
    const ids = swept.map(({ id }) => id);
    await ctx.db
      .update(pins)
      .set({ wakeAt: sql`now() - make_interval(secs => ${WAKE_GRACE_MS / SECOND_MS + 1})` })
      .where(inArray(pins.id, ids));
    throw error;
  }
  return swept.length;
};

/**
 * Sends a new event for each scheduled pin that nobody seems to work on: its event was lost, its run died in some
 * step, or its account was connected again. The new run goes on where the last one stopped, stuck attempts included,
 * and a run that does live after all does no harm (DESIGN §5.6).
 * @returns how many there were; after half a minute the rest is left to the next sweep.
 * @throws when the engine does not take the events; they are due again at once.
 */
export const sweepPins = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const beganMs = performance.now();
  let sent = 0;
  let last = SWEEP_BATCH;
  while (last === SWEEP_BATCH && performance.now() - beganMs < SWEEP_LONGEST_MS && !ctx.stopping.aborted) {
    last = await sweepBatch(ctx);
    sent += last;
    ctx.log.set({ pins_swept: sent });
  }
  return { sent };
};
