import "server-only";
import { and, asc, count, desc, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { paymentEvents } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";

/**
 * Has the provider's list read once more from the oldest event on that could not be read: after this product has learned
 * to. The next collecting takes anew what it can read then. @returns how many could not be read
 */
export const rereadList = (ctx: Ctx): Promise<{ unread: number }> =>
  inTransaction(ctx, async (tx) => {
    const { eventId, occurredAt, fact, problem, listedAt } = paymentEvents;
    const isUnread = and(isNull(fact), isNotNull(problem));
    const [found] = await tx.db.select({ unread: count() }).from(paymentEvents).where(isUnread);
    const [oldest] = await tx.db
      .select({ occurredAt })
      .from(paymentEvents)
      .where(isUnread)
      .orderBy(asc(occurredAt), asc(eventId))
      .limit(1);
    if (!oldest) return { unread: 0 };
    const [before] = await tx.db
      .select({ eventId })
      .from(paymentEvents)
      .where(lt(occurredAt, oldest.occurredAt))
      .orderBy(desc(occurredAt), desc(eventId))
      .limit(1);
    // None before it: the list is read from its beginning.
    await tx.db.update(paymentEvents).set({ listedAt: null }).where(isNotNull(listedAt));
    if (before) {
      await tx.db.update(paymentEvents).set({ listedAt: sql`now()` }).where(eq(eventId, before.eventId));
    }
    return { unread: found?.unread ?? 0 };
  });
