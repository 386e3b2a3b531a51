import "server-only";
import { and, desc, isNotNull, isNull, or, sql } from "drizzle-orm";
import { paymentEvents, payments, subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";

/** An event as it is stored, without what it told. `subject`: the provider's id of what it is about. */
export interface ListedEvent {
  eventId: string;
  eventType: string;
  occurredAt: Date;
  receivedAt: Date;
  source: string;
  appliedAt: Date | null;
  problem: string | null;
  sweeps: number;
  subject: string | null;
}

const { fact } = paymentEvents;
const subject = sql<
  string | null
>`coalesce(${fact}->'transaction'->>'id', ${fact}->'subscription'->>'id', ${fact}->'adjustment'->>'id')`;
const paymentId = sql`coalesce(${fact}->'transaction'->>'id', ${fact}->'adjustment'->>'transactionId')`;

const isOf = (userId: UserId) =>
  or(
    sql`${paymentId} in (select ${payments.id} from ${payments} where ${payments.userId} = ${userId})`,
    sql`${fact}->'subscription'->>'id' in (select ${subscriptions.id} from ${subscriptions} where ${subscriptions.userId} = ${userId})`,
  );

/**
 * The newest stored events for an operator's audit, newest first.
 * @param input `open`: only those that are not applied, or could not be read; `userId`: only those about a user
 */
export const listEvents = (
  ctx: Ctx,
  input: { open: boolean; userId: UserId | null; limit: number },
): Promise<ListedEvent[]> => {
  const { eventId, eventType, occurredAt, receivedAt, source, appliedAt, problem, sweeps } = paymentEvents;
  return ctx.db
    .select({ eventId, eventType, occurredAt, receivedAt, source, appliedAt, problem, sweeps, subject })
    .from(paymentEvents)
    .where(
      and(
        input.open ? or(isNull(appliedAt), isNotNull(problem)) : undefined,
        input.userId ? isOf(input.userId) : undefined,
      ),
    )
    .orderBy(desc(occurredAt), desc(eventId))
    .limit(input.limit);
};
