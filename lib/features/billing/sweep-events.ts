import "server-only";
import { and, asc, inArray, isNull, lte, sql } from "drizzle-orm";
import { paymentEvents } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { EVENT_FIRST_MS, EVENT_LONGEST_MS, SWEEP_BATCH } from "./constants.ts";
import { eventJobId } from "./policy.ts";

const takeForgotten = async (tx: Ctx): Promise<{ eventId: string; sweeps: number }[]> => {
  const forgotten = tx.db
    .select({ eventId: paymentEvents.eventId })
    .from(paymentEvents)
    .where(and(isNull(paymentEvents.appliedAt), lte(paymentEvents.wakeAt, tx.now())))
    .orderBy(asc(paymentEvents.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${EVENT_LONGEST_MS / SECOND_MS},
    ${EVENT_FIRST_MS / SECOND_MS} * power(2, least(${paymentEvents.sweeps}, 20) + 1))`;
  return tx.db
    .update(paymentEvents)
    .set({ sweeps: sql`${paymentEvents.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(paymentEvents.eventId, forgotten))
    .returning({ eventId: paymentEvents.eventId, sweeps: paymentEvents.sweeps });
};

/**
 * Sends a new durable event for each stored event that nobody has applied after a while (DESIGN §5.6): the engine was
 * down, a run died, or it could not be applied. @returns how many
 * @throws when the engine does not take them; they are due again after their pause
 */
export const sweepEvents = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(
    swept.map(({ eventId, sweeps }) => ({
      name: "billing/event.received" as const,
      id: eventJobId(eventId, sweeps),
      data: { eventId },
    })),
  );
  if (swept.length > 0) ctx.log.set({ payments_swept: swept.length });
  return { sent: swept.length };
};
