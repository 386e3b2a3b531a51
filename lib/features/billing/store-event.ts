import "server-only";
import { and, isNotNull, isNull, sql } from "drizzle-orm";
import { paymentEvents } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { PaymentEvent } from "#lib/integrations/payments/port.ts";
import { EVENT_FIRST_MS } from "./constants.ts";

/**
 * Writes an event down, once by its id; one that nothing follows from counts as applied. What could not be read before
 * and can be now, is taken anew. `isNew`: it is for somebody to apply.
 */
export const storeEvent = async (
  ctx: Ctx,
  { event, source }: { event: PaymentEvent; source: "webhook" | "collected" },
): Promise<{ isNew: boolean }> => {
  const { eventId, eventType, occurredAt, fact, unreadable } = event;
  const wakeAt = sql`now() + make_interval(secs => ${EVENT_FIRST_MS / SECOND_MS})`;
  const told = { fact, problem: unreadable, appliedAt: fact ? null : sql`now()` };
  const stored = await ctx.db
    .insert(paymentEvents)
    .values({ eventId, eventType, occurredAt, source, ...told, receivedAt: sql`now()`, wakeAt })
    .onConflictDoUpdate({
      target: paymentEvents.eventId,
      set: { ...told, wakeAt },
      setWhere: and(isNull(paymentEvents.fact), isNotNull(paymentEvents.problem), sql`excluded.fact is not null`),
    })
    .returning({ eventId: paymentEvents.eventId });
  return { isNew: stored.length > 0 && fact !== null };
};
